"""`casino new-bot`: what it writes, what it says, and what it refuses."""

import json
import shlex
from pathlib import Path

import httpx
import pytest
from casino.commands.new_bot import LanguageName
from casino.starters.languages import LANGUAGES
from casino.starters.starter import DEFAULT_NAME, display_name
from casino_contracts import ActionRequest
from support.console_side import Ended, casino

NOBODY = httpx.MockTransport(lambda _: httpx.Response(500))
TEMPLATES = Path(__file__).parents[3] / "console/casino/starters/templates"
QUESTIONS = {"free_check", "second_attempt", "short_stack"}


async def new_bot(*arguments: object) -> Ended:
    """Run the command."""
    return await casino("new-bot", *map(str, arguments), to=NOBODY, url=None)


def files_of(directory: Path) -> set[str]:
    return {str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file()}


@pytest.mark.parametrize("language", LANGUAGES)
async def test_it_writes_every_template(language: str, tmp_path: Path) -> None:
    """The files of the language, its Dockerfile, the README and three questions."""
    target = tmp_path / "some" / "shark"
    ended = await new_bot(language, target, "--json")
    assert (ended.exit_code, ended.stderr) == (0, "")
    report = json.loads(ended.stdout)
    assert report == {
        "directory": str(target),
        "language": language,
        "files": sorted(report["files"]),
    }
    assert set(report["files"]) == files_of(target)
    own = {path for path in files_of(TEMPLATES / language) if "__pycache__" not in path}
    assert files_of(target) == own | files_of(TEMPLATES / "common")
    assert {path.stem for path in (target / "questions").iterdir()} == QUESTIONS
    for path in files_of(target):
        text = (target / path).read_text()
        assert DEFAULT_NAME not in text, path
        assert "@" not in text.replace("@0x", ""), path  # no value is missing


@pytest.mark.parametrize("language", LANGUAGES)
async def test_it_says_what_to_do_next(language: str, tmp_path: Path) -> None:
    """Every line can be typed; the README and the Dockerfile have the same commands."""
    target = tmp_path / "my shark"
    ended = await new_bot(language, target)
    chosen = LANGUAGES[language]
    directory = shlex.quote(str(target))
    decides = next(iter(chosen.files))
    assert ended.stdout.splitlines() == [
        f"{target}: a bot in {chosen.title}, {len(files_of(target))} files",
        f"  start it   cd {directory} && {chosen.start}",
        f"  test it    cd {directory} && {chosen.test}",
        "  check it   casino check http://127.0.0.1:9000",
        (
            "  seat it    casino up --hands 200"
            " --seat http://127.0.0.1:9000/.well-known/agent-card.json"
        ),
        f"  change it  {target}/{decides}, function act; more in README.md",
    ]
    readme = (target / "README.md").read_text()
    assert readme.startswith("# my shark\n")
    for command in (chosen.start, f"{chosen.test}\ncasino check http://127.0.0.1:9000"):
        assert f"```sh\n{command}\n```" in readme
    for file in files_of(target):
        assert f"`{file.partition('/')[0]}" in readme or file == "README.md"
    copied = [
        name
        for line in (target / "Dockerfile").read_text().splitlines()
        if line.startswith("COPY ") and "--from" not in line
        for name in line.split()[1:-1]
    ]
    assert copied
    assert set(copied) < set(chosen.files)


async def test_python_in_mybot_is_the_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`casino new-bot` alone."""
    monkeypatch.chdir(tmp_path)
    ended = await new_bot()
    assert (ended.exit_code, ended.stderr) == (0, "")
    assert ended.stdout.startswith("mybot: a bot in Python, 9 files\n")
    assert 'NAME = "mybot"' in (tmp_path / "mybot/bot.py").read_text()


async def test_an_empty_directory_is_filled_and_names_the_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also the current one."""
    inner = tmp_path / "river rat"
    inner.mkdir()
    monkeypatch.chdir(inner)
    ended = await new_bot("javascript", ".")
    assert ended.exit_code == 0, ended.stderr
    assert 'NAME = "river rat"' in (inner / "bot.js").read_text()


async def test_a_directory_with_files_is_left_as_it_is(tmp_path: Path) -> None:
    """Whatever the files are."""
    (tmp_path / "notes").write_text("mine")
    ended = await new_bot("go", tmp_path)
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert ended.stderr == (
        f"casino new-bot: {tmp_path} is not empty, and nothing was written; name a new one\n"
    )
    assert files_of(tmp_path) == {"notes"}
    again = await new_bot("go", tmp_path / "notes")
    assert again.stderr == f"casino new-bot: {tmp_path}/notes is a file; name a new directory\n"
    below = await new_bot("go", tmp_path / "notes" / "bot")
    assert (below.exit_code, below.stderr.count("\n")) == (1, 1)
    assert str(tmp_path / "notes") in below.stderr
    assert (tmp_path / "notes").read_text() == "mine"


async def test_an_unknown_language_is_refused_with_those_that_exist(tmp_path: Path) -> None:
    """Nothing is written."""
    ended = await new_bot("rust", tmp_path / "bot")
    assert ended.exit_code == 2
    assert all(language in ended.stderr for language in ("rust", *LANGUAGES))
    assert not (tmp_path / "bot").exists()


def test_every_language_can_be_chosen() -> None:
    """The choices of the command are the starters."""
    assert [*LanguageName] == [*LANGUAGES]


@pytest.mark.parametrize(
    ("directory", "name"),
    [
        ("/bots/shark 2", "shark 2"),
        ("/bots/Žralok", "Žralok"),
        ('/bots/a"b\\c\nd${e}', "abcde"),
        ("/bots/" + "x" * 99, "x" * 32),
        ("/bots/☂", DEFAULT_NAME),
        ("/", DEFAULT_NAME),
    ],
)
def test_a_name_fits_into_every_language(directory: str, name: str) -> None:
    """Without characters that would end a text, or begin an expression."""
    assert display_name(Path(directory)) == name


@pytest.mark.parametrize("name", sorted(QUESTIONS))
def test_a_recorded_question_is_a_real_one(name: str) -> None:
    """It has no fields that a table does not send."""
    question = json.loads((TEMPLATES / "common/questions" / f"{name}.json").read_text())
    assert json.loads(ActionRequest.model_validate(question).wire()) == question
