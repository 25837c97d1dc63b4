"""The command `casino check`: lines for a person, JSON for programs, exit codes, functions."""

import json
from pathlib import Path

import httpx
import pytest
from support.author.broken_bots import Bot, answering, served
from support.console_side import Ended, casino
from support.match.plans import CALLER, bot

pytestmark = pytest.mark.full

NO_LOBBY = httpx.MockTransport(lambda _: httpx.Response(500))
ALWAYS_CHECKS = answering({"action": "check"})


async def check(*arguments: str, width: int | None = None) -> Ended:
    """Run the command."""
    return await casino("check", *arguments, to=NO_LOBBY, width=width)


async def test_a_sound_bot_is_ready() -> None:
    """Each check has a line; the last line is the verdict, and the exit code is 0."""
    with served(Bot()) as url:
        ended = await check(url)
    assert ended.exit_code == 0, ended
    *lines, verdict = ended.stdout.splitlines()
    assert verdict == "ready for a table"
    names = [line.split()[0] for line in lines]
    assert names == [
        "card", "signup", "questions", "other-games", "redelivery", "second-attempt",
        "unknown-fields", "seat-token", "contribute", "speed", "reply-size",
        "concurrency", "connection", "bad-input",
    ]  # fmt: skip


async def test_a_fault_has_what_was_sent_what_came_and_the_fix() -> None:
    """With the table's own sentence."""
    with served(ALWAYS_CHECKS()) as url:
        ended = await check(url, "--seed", "5")
    assert ended.exit_code == 1
    lines = ended.stdout.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("questions"))
    assert lines[at].startswith("questions       fault    illegal-action: ")
    assert "check is not possible now; legal are fold, call" in lines[at]
    sent, came, fix = lines[at + 1 : at + 4]
    assert '"legalActions"' in sent
    assert came.split(maxsplit=1) == ["came", '{"action":"check"}']
    assert fix.split(maxsplit=1)[0] == "fix"
    assert lines[-1].startswith("not ready for a table: 1 fault, ")


async def test_programs_get_a_json_object_for_each_finding() -> None:
    """And one with the verdict."""
    with served(ALWAYS_CHECKS()) as url:
        ended = await check(url, "--json")
    *findings, last = map(json.loads, ended.stdout.splitlines())
    (fault,) = [each for each in findings if each["verdict"] == "fault"]
    assert set(fault) == {"check", "verdict", "name", "text", "fix", "sent", "came"}
    assert (last["isReady"], last["counts"]["fault"]) == (False, 1)


@pytest.mark.parametrize("head", ["def act(turn):", "async def act(turn):"])
async def test_a_function_is_checked_without_a_server(tmp_path: Path, head: str) -> None:
    """What only a server has is skipped, with the reason."""
    ended = await check(bot(tmp_path, CALLER, head=head))
    assert ended.exit_code == 0, ended
    lines = {line.split()[0]: line for line in ended.stdout.splitlines()}
    assert lines["questions"].endswith("60 legal answers to 60 questions")
    for name in ("card", "signup", "seat-token", "connection", "bad-input"):
        assert lines[name].split()[1] == "skipped"


async def test_a_function_that_hangs_is_left(tmp_path: Path) -> None:
    """After three questions in a row, as a table leaves its seat."""
    target = bot(tmp_path, "import asyncio\nawait asyncio.sleep(3600)", head="async def act(turn):")
    ended = await check(target, "--clock", "200ms")
    assert ended.exit_code == 1
    assert "no-answer-in-time: 3 of 3 answers" in ended.stdout
    assert "57 questions not asked" in ended.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("absent.py:act",), "there is no file absent.py"),
        (("ftp://bot",), "ftp://bot"),
        (("127.0.0.1:9000",), "127.0.0.1:9000: write http:// before an address"),
        (("http://127.0.0.1:9", "--clock", "soon"), "--clock"),
        (("http://127.0.0.1:9", "--clock", "0s"), "must be more than 0"),
    ],
)
async def test_a_wrong_option_is_named(arguments: tuple[str, ...], message: str) -> None:
    """Nothing is asked."""
    ended = await check(*arguments)
    assert ended.exit_code == 2
    assert message in " ".join(ended.stderr.replace("│", " ").split())
