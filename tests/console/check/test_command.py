"""The command `casino check`: lines for a person, JSON for programs, exit codes."""

import json

import httpx
import pytest
from support.console_side import Ended, casino
from support.players.broken.bot import Bot, served
from support.players.broken.replies import AlwaysChecks


async def check(*arguments: str) -> Ended:
    """Run the command, which asks no lobby."""
    return await casino("check", *arguments, to=httpx.MockTransport(lambda _: httpx.Response(500)))


@pytest.mark.full
async def test_a_sound_bot_is_ready() -> None:
    """Each check has a line; the last line is the verdict, and the exit code is 0."""
    with served(Bot()) as url:
        ended = await check(url)
    assert ended.exit_code == 0, ended
    *lines, verdict = ended.stdout.splitlines()
    assert verdict == "ready for a table"
    assert len({line.split()[0] for line in lines}) == len(lines) == 13


@pytest.mark.full
async def test_a_fault_has_what_was_sent_what_came_and_the_fix() -> None:
    """With the table's own sentence; programs get an object for each finding and the verdict."""
    with served(AlwaysChecks()) as url:
        ended = await check(url, "--seed", "5")
        as_json = await check(url, "--json")
    assert ended.exit_code == as_json.exit_code == 1
    lines = ended.stdout.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("questions"))
    assert lines[at].startswith("questions       fault    illegal-action: ")
    assert "check is not possible now; legal are fold, call" in lines[at]
    sent, came, fix = lines[at + 1 : at + 4]
    assert '"legalActions"' in sent
    assert came.split(maxsplit=1) == ["came", '{"action":"check"}']
    assert fix.split(maxsplit=1)[0] == "fix"
    assert lines[-1].startswith("not ready for a table: 1 fault, ")
    *findings, last = map(json.loads, as_json.stdout.splitlines())
    (fault,) = [each for each in findings if each["verdict"] == "fault"]
    assert set(fault) == {"check", "verdict", "name", "text", "fix", "sent", "came"}
    assert (last["isReady"], last["counts"]["fault"]) == (False, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("absent.py:act",), "there is no file absent.py"),
        (("127.0.0.1:9000",), "127.0.0.1:9000: write http:// before an address"),
        (("http://127.0.0.1:9", "--clock", "soon"), "--clock"),
        (("http://127.0.0.1:9", "--clock", "0s"), "must be more than 0"),
    ],
)
async def test_a_wrong_option_is_named(arguments: tuple[str, ...], message: str) -> None:
    ended = await check(*arguments)
    assert ended.exit_code == 2
    assert message in " ".join(ended.stderr.replace("│", " ").split())
