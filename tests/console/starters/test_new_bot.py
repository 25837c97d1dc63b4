"""`casino new-bot`: what it writes, what it says, and what it refuses."""

import json
import shlex
import sys
from pathlib import Path

import pytest
from casino.starters.starter import DEFAULT_NAME, LANGUAGES, display_name
from casino_contracts import ActionRequest
from support.console_side import Ended, casino

TEMPLATES = Path(__file__).parents[3] / "console/casino/starters/templates"
QUESTIONS = {"free_check", "second_attempt", "short_stack"}


async def new_bot(*arguments: object) -> Ended:
    return await casino("new-bot", *map(str, arguments), url=None)


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
    for command in (chosen.start, chosen.test):
        assert f"  cd {directory} && {command}\n" in ended.stdout
    assert "  casino check http://127.0.0.1:9000\n" in ended.stdout
    assert f"  {target}/{next(iter(chosen.files))}, function act" in ended.stdout
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


async def test_python_in_mybot_is_the_default_and_an_empty_directory_names_the_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = tmp_path / "river rat"
    inner.mkdir()
    monkeypatch.chdir(inner)
    assert (await new_bot("javascript", ".")).exit_code == 0
    assert 'NAME = "river rat"' in (inner / "bot.js").read_text()
    monkeypatch.chdir(tmp_path)
    ended = await new_bot()
    assert (ended.exit_code, ended.stderr) == (0, "")
    assert ended.stdout.startswith("mybot: a bot in Python, 10 files\n")
    assert 'NAME = "mybot"' in (tmp_path / "mybot/bot.py").read_text()


async def test_a_directory_with_files_is_left_as_it_is(tmp_path: Path) -> None:
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


async def test_a_game_is_written_into_the_folder_of_games(tmp_path: Path) -> None:
    """In the five files of the document, under its name; what to do next can be typed."""
    ended = await casino("new-game", "high_card", str(tmp_path), url=None)
    assert (ended.exit_code, ended.stderr) == (0, "")
    place = tmp_path / "games" / "high_card"
    templates = {path for path in files_of(TEMPLATES / "game") if path.endswith(".py")}
    assert files_of(place) == templates
    assert len(templates) == 5
    assert "high_card" in (place / "game.py").read_text()
    assert not any("my_game" in (place / path).read_text() for path in templates)
    assert ended.stdout.startswith(f"{place}: a game, 5 files\n")
    setting = f"CASINO_TABLE_GAMES={tmp_path}"
    for step in (
        f"check it   {setting} {sys.executable} -m casino_table --specification high_card",
        f"play it    {setting} casino up --game high_card --hands 10",
    ):
        assert f"  {step}\n" in ended.stdout
    again = await casino("new-game", "other", str(tmp_path), "--json", url=None)
    assert json.loads(again.stdout)["files"][0] == "games/other/__init__.py"
    for name, fault in (("high_card", "is not empty"), ("Poker", "begins with a letter")):
        refused = await casino("new-game", name, str(tmp_path), url=None)
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert fault in refused.stderr
