"""Each starter passes its own tests, answers every call in one write, and plays."""

import json
import os
import re
import shutil
import subprocess
import sys
import types
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from casino.starters.languages import LANGUAGES
from casino.starters.starter import write_starter
from support.author.bot_process import BotProcess, bot_process, runtime
from support.author.single_write import (
    COUNTER,
    KEPT,
    answer_of,
    call,
    exchanged,
    fault_of,
    posted,
    writes_of,
)
from support.casino.live import ENVIRONMENT
from support.requirements import unavailable

pytestmark = [pytest.mark.full, pytest.mark.timeout(240)]

QUESTIONS = Path(__file__).parents[3] / "console/casino/starters/templates/common/questions"
GO_WRITES = Path(__file__).parent / "single_write_test.go.txt"


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
    """Run the bot of a project that is left as it was written."""
    project = tmp_path_factory.mktemp(language) / "shark"
    write_starter(LANGUAGES[language], project)
    with bot_process(start_command(language, project), project) as running:
        yield running


def start_command(language: str, project: Path) -> list[str]:
    """Return the README's command, with this machine's Python or Node; Go's is built before."""
    if language == "go":
        run(["go", "build", "-o", "shark", "."], project)
        return [str(project / "shark")]
    _, *arguments = LANGUAGES[language].start.split()
    interpreter = [sys.executable] if language == "python" else runtime(language)
    return [*interpreter, *arguments]


def run(command: Sequence[str], directory: Path) -> str:
    """Run a command of a project, which must succeed; returns what it prints."""
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def question(name: str) -> dict[str, object]:
    """Return a recorded question, which every project has."""
    text = (QUESTIONS / f"{name}.json").read_text()
    content: dict[str, object] = json.loads(text)
    return content


def test_its_own_tests_pass(language: str, project: Path) -> None:
    """With the test runner of the language and nothing else."""
    word, *arguments = LANGUAGES[language].test.split()
    if language == "python":
        printed = run([sys.executable, *arguments], project)
        assert "Ran 3 tests" in printed
    elif language == "javascript":
        printed = run([*runtime(language), *arguments], project)
        assert re.search(r"^. pass 5$", printed, re.MULTILINE)
    else:
        printed = run([word, *arguments, "-v"], project)
        assert printed.count("--- PASS") == 5


def test_its_own_tests_notice_a_wrong_decision(language: str, project: Path) -> None:
    """A bot that folds what it could check fails them."""
    for file in (path for path in project.iterdir() if path.stem == "bot"):
        source = file.read_text()
        broken = re.sub(r"""("?action"?: |Action: )"check" """.strip(), r'\1"fold"', source)
        assert broken != source
        file.write_text(broken)
    word, *arguments = LANGUAGES[language].test.split()
    interpreter = [word] if language == "go" else start_command(language, project)[:1]
    done = subprocess.run([*interpreter, *arguments], cwd=project, capture_output=True, check=False)
    assert done.returncode == 1


def test_the_python_starter_s_tests_at_a_table_notice_a_wrong_amount(tmp_path: Path) -> None:
    """By pytest with the fixture, which the conftest gives where the plugin is not installed."""
    write_starter(LANGUAGES["python"], tmp_path)
    (tmp_path / "conftest.py").write_text("from casino.testing.plugin import casino_table\n")
    command = [sys.executable, "-m", "pytest", "--quiet", "-p", "no:cacheprovider"]
    assert "6 passed" in run(command, tmp_path)
    bot = tmp_path / "bot.py"
    sound = bot.read_text()
    broken = sound.replace('"amount": amount', '"amount": amount + 0.5')
    assert broken != sound
    bot.write_text(broken)
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "3 failed, 3 passed" in done.stdout
    assert "amount-off-unit" in done.stdout


def test_it_plays_without_a_fault(bot: BotProcess) -> None:
    """Twenty hands at a real table; each decision is in its log."""
    before = len(bot.log.read_text())
    up = subprocess.run(
        [sys.executable, "-m", "casino", "up", "--hands", "20", "--exit", "--json",
         "--port", "0", "--players", "caller,random,tight", "--seat", bot.card],
        env=ENVIRONMENT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert up.returncode == 0, up.stdout + up.stderr
    players = {who["name"]: who for who in json.loads(up.stdout.splitlines()[-1])["players"]}
    outcomes = players["shark"]["outcomes"]
    assert set(outcomes) == {"ok"}
    log = bot.log.read_text()[before:]
    decision = r"^main/\d+:\d+:1 (preflop|flop|turn|river) .. .. \| .*  pot \d+, to call \d+: \w+"
    assert len(re.findall(decision, log, re.MULTILINE)) == outcomes["ok"]
    assert "seat at main" in log


def test_it_prints_why_it_was_refused_and_plays_safe(bot: BotProcess) -> None:
    """The second attempt is the last one."""
    again = question("second_attempt")
    (response,) = exchanged(bot, call("act", again))
    assert answer_of(response) == {"action": "fold"}
    rejection = "check is not possible now; legal are fold, call, raise (amount 108 to 1098)"
    assert f"rejected: {rejection}" in bot.log.read_text()


def test_a_request_that_is_sent_again_gets_the_same_answer(bot: BotProcess) -> None:
    """The dice of 40 requests with aces fall on both sides, and the same way again."""
    aces = [{"rank": "A", "suit": suit} for suit in ("clubs", "hearts")]
    turn = {**question("free_check"), "holeCards": aces}
    calls = [call("act", {**turn, "requestId": f"main/7:{number}:1"}) for number in range(40)]
    first, again = ([answer_of(response) for response in exchanged(bot, *calls)] for _ in "ab")
    assert first == again
    assert {answer["action"] for answer in first} == {"bet", "check"}
    assert {answer["amount"] for answer in first if "amount" in answer} == {3}


def test_every_wrong_call_is_answered(bot: BotProcess) -> None:
    """With an error of JSON-RPC that says what is wrong; the connection stays open."""
    turn = question("free_check")
    wrong = [
        (posted(b"{"), -32700, "JSON"),
        (posted(b"[]"), -32602, ""),
        (posted(b'{"jsonrpc": "2.0", "id": 7, "method": "GetTask"}'), -32601, "GetTask"),
        (call("play", {}), -32602, "no skill play; there are signup and act"),
        (call("act", {}), -32602, "act needs holeCards and legalActions"),
        (call("signup", {"gameType": "leduc_poker"}), -32602, "texas-holdem only, not leduc_poker"),
        (call("act", {**turn, "holeCards": []}), -32602, "act needs holeCards and legalActions"),
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


def test_unknown_addresses_are_not_found(bot: BotProcess) -> None:
    """Only the card is served, at the address that it is asked at."""
    get = "GET {} HTTP/1.1\r\nHost: shark.example:81\r\n\r\n"
    addresses = ("/.well-known/agent-card.json", "/")
    card, nothing = exchanged(bot, *(get.format(path).encode() for path in addresses))
    content = json.loads(card.partition(b"\r\n\r\n")[2])
    assert content["supportedInterfaces"][0]["url"] == "http://shark.example:81/rpc"
    assert content["name"] == "shark"
    assert nothing.startswith(b"HTTP/1.1 404 ")


def test_the_python_starter_replies_in_one_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the body waits 40 ms for a delayed acknowledgement of the headers."""
    write_starter(LANGUAGES["python"], tmp_path)
    loaded = {}
    for name in ("bot", "server"):
        module = loaded[name] = types.ModuleType(name)
        source = (tmp_path / f"{name}.py").read_text()
        exec(compile(source, f"{name}.py", "exec"), vars(module))
        monkeypatch.setitem(sys.modules, name, module)
    request = call("act", question("free_check"))
    (written,) = writes_of(loaded["server"].Handler, request)
    assert answer_of(written) == {"action": "check"}


def test_the_javascript_starter_replies_in_one_write(tmp_path: Path) -> None:
    """As the one in Python."""
    node = runtime("javascript")
    write_starter(LANGUAGES["javascript"], tmp_path)
    (tmp_path / "counter.cjs").write_text(COUNTER)
    settings = {**os.environ, "WRITES": str(tmp_path / "writes")}
    command = [*node, "--require", "./counter.cjs", "server.js"]
    request = call("act", question("free_check"))
    with bot_process(command, tmp_path, settings) as running:
        answers = list(exchanged(running, *[request] * 3))
    assert [answer_of(answer) for answer in answers] == [{"action": "check"}] * 3
    assert (tmp_path / "writes").read_text().split() == ["write"] * 3
    assert all(KEPT in answer.lower() for answer in answers)


@pytest.mark.parametrize("language", ["go"], indirect=True)
def test_the_go_starter_replies_in_one_write(project: Path) -> None:
    """As the one in Python: a test in Go counts them."""
    shutil.copy(GO_WRITES, project / "single_write_test.go")
    assert "--- PASS: TestAReplyIsOneWrite" in run(["go", "test", "-v"], project)
