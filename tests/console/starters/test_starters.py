"""Each starter passes its own tests, answers as it should, and is ready for a table."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from casino.starters.starter import LANGUAGES, write_starter
from support.author.bot_process import BotProcess, bot_process, runtime
from support.author.single_write import answer_of, call, exchanged, fault_of, posted
from support.casino.commands import finished, json_lines
from support.requirements import unavailable

pytestmark = [pytest.mark.full, pytest.mark.timeout(240)]


QUESTIONS = Path(__file__).parents[3] / "console/casino/starters/templates/common/questions"


@pytest.fixture(params=LANGUAGES, scope="module")
def language(request: pytest.FixtureRequest) -> str:
    """Return the language of a starter; without Go its tests are skipped, in CI they fail."""
    if request.param == "go" and shutil.which("go") is None:
        unavailable("Go is not installed (Debian's package golang-go)")
    return str(request.param)


@pytest.fixture
def project(language: str, tmp_path: Path) -> Path:
    write_starter(LANGUAGES[language], tmp_path / "shark")
    return tmp_path / "shark"


@pytest.fixture(scope="module")
def bot(language: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BotProcess]:
    """Start it by the README's command, with this machine's interpreter; Go's is built before."""
    project = tmp_path_factory.mktemp(language) / "shark"
    write_starter(LANGUAGES[language], project)
    if language == "go":
        subprocess.run(["go", "build", "-o", "shark", "."], cwd=project, check=True)
        command = [str(project / "shark")]
    else:
        command = [*interpreter(language), *LANGUAGES[language].start.split()[1:]]
    with bot_process(command, project) as running:
        yield running


def interpreter(language: str) -> list[str]:
    """Return the first word of the README's commands."""
    if language == "go":
        return ["go"]
    return [sys.executable] if language == "python" else runtime(language)


def question(name: str) -> dict[str, object]:
    """Return a recorded question, which every project has."""
    content: dict[str, object] = json.loads((QUESTIONS / f"{name}.json").read_text())
    return content


def test_its_own_tests_pass_and_notice_a_wrong_decision(language: str, project: Path) -> None:
    """A bot that folds what it could check fails them."""
    command = [*interpreter(language), *LANGUAGES[language].test.split()[1:]]
    assert subprocess.run(command, cwd=project, check=False).returncode == 0
    for file in (path for path in project.iterdir() if path.stem == "bot"):
        source = file.read_text()
        broken = re.sub(r"""("?action"?: |Action: )"check" """.strip(), r'\1"fold"', source)
        assert broken != source
        file.write_text(broken)
    assert subprocess.run(command, cwd=project, check=False).returncode == 1


def test_the_python_starter_s_tests_at_a_table_notice_a_wrong_amount(tmp_path: Path) -> None:
    """By pytest with the fixture, which the conftest gives where the plugin is not installed."""
    write_starter(LANGUAGES["python"], tmp_path)
    (tmp_path / "conftest.py").write_text("from casino.testing.plugin import casino_table\n")
    command = [sys.executable, "-m", "pytest", "--quiet", "-p", "no:cacheprovider"]
    bot = tmp_path / "bot.py"
    sound = bot.read_text()
    printed = []
    for source in (sound, sound.replace('"amount": amount', '"amount": amount + 0.5')):
        bot.write_text(source)
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        printed.append(done.stdout)
    assert "7 passed" in printed[0]
    assert "3 failed, 4 passed" in printed[1]
    assert "is no multiple of 1, this table's unit" in printed[1]


def test_it_is_ready_for_a_table_without_a_warning(bot: BotProcess) -> None:
    """Sixty legal answers, the same one to a repeated request, in one write, and so on."""
    *findings, _ = json_lines(finished("check", bot.card, "--json").stdout)
    noticed = {each["check"] for each in findings if each["verdict"] in {"fault", "warning"}}
    assert noticed <= {"speed", "concurrency"}, findings  # they depend on the machine
    log = bot.log.read_text()
    decision = r"^\S+ (preflop|flop|turn|river) .. .. \| .*  pot \d+, to call \d+: \w+"
    assert len(re.findall(decision, log, re.MULTILINE)) >= 60
    assert "seat at " in log


def test_it_prints_why_it_was_refused_and_plays_safe(bot: BotProcess) -> None:
    (response,) = exchanged(bot, call("act", question("second_attempt")))
    assert answer_of(response) == {"action": "fold"}
    rejection = "check is not possible now; legal are fold, call, raise (amount 108 to 1098)"
    assert f"rejected: {rejection}" in bot.log.read_text()


def test_every_wrong_call_is_answered(bot: BotProcess) -> None:
    """With an error of JSON-RPC that says what is wrong; the connection stays open."""
    turn = question("free_check")
    wrong = [
        (posted(b"{"), -32700, "JSON"),
        (posted(b"[]"), -32602, ""),
        (posted(b'{"jsonrpc": "2.0", "id": 7, "method": "GetTask"}'), -32601, "GetTask"),
        (call("play", {}), -32602, "no skill play; there are signup, act, contribute"),
        (call("act", {}), -32602, "act needs holeCards and legalActions"),
        (call("signup", {"gameType": "leduc_poker"}), -32602, "texas-holdem only, not leduc_poker"),
        (call("act", {**turn, "legalActions": 7}), None, ""),  # a mistake in `act`, or no turn
    ]
    *faults, played = exchanged(bot, *(request for request, _, _ in wrong), call("act", turn))
    for response, (_, code, text) in zip(faults, wrong, strict=True):
        error = fault_of(response)
        assert code in {None, error["code"]}, error
        assert text in error["message"]
    assert answer_of(played) == {"action": "check"}
    (seat,) = exchanged(bot, call("signup", {"tableId": "t", "gameType": "texas-holdem"}))
    assert answer_of(seat) == {"displayName": "shark"}


def test_only_the_card_is_served_at_the_address_that_it_is_asked_at(bot: BotProcess) -> None:
    get = "GET {} HTTP/1.1\r\nHost: shark.example:81\r\n\r\n"
    addresses = ("/.well-known/agent-card.json", "/")
    card, nothing = exchanged(bot, *(get.format(path).encode() for path in addresses))
    content = json.loads(card.partition(b"\r\n\r\n")[2])
    assert content["supportedInterfaces"][0]["url"] == "http://shark.example:81/rpc"
    assert content["name"] == "shark"
    assert nothing.startswith(b"HTTP/1.1 404 ")
