"""`casino join` as a process, at a real casino."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from support.casino.live import ProcessCasino, live_casino
from support.joined.joined_bot import joined, written
from support.processes import eventually

pytestmark = [pytest.mark.full, pytest.mark.asyncio(loop_scope="module")]

FAULTY = """
def act(turn):
    hand = turn["requestId"].split("/")[-1].split(":")[0]
    if hand == "2":
        return {"action": "raise", "amount": 1}
    if hand == "4":
        return turn["nothing"]
    return {"action": "check" if "check" in turn["legalActions"] else "call"}
"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def casino() -> AsyncIterator[ProcessCasino]:
    """Run a lobby with free tables."""
    async with live_casino(CASINO_TABLE_DRAIN_TIMEOUT="1s") as casino:
        await casino.host_tables(4)
        yield casino


async def test_a_function_is_seated_and_each_fault_has_its_reason(
    casino: ProcessCasino, tmp_path: Path
) -> None:
    """Two lines of a bot, a mistake of each kind; net and counts come at Ctrl-C, the log stays."""
    await casino.open("faulty", maxSeats=2, maxHands=6)
    bot = written(tmp_path, FAULTY)
    arguments = ("--room", "faulty", "--lobby", casino.lobby.url, "--name", "Mine")
    async with joined(bot, *arguments) as mine:
        await mine.line("seat 0   Mine with ")
        await mine.line("1 of 2 seats are taken; the room starts when it is full")
        caller = await casino.sample("caller")
        assert (await casino.seat(caller.cards[0], "faulty")).is_success
        over = await mine.line("the session is over: net ")
        assert await mine.interrupt() == 0
    text = "\n".join(mine.lines)
    assert "hand 2: not accepted: raise to 1 is below the smallest" in text
    assert "hand 2: illegal, raise to 1 is below the smallest" in text
    assert "mybot.py:7 in act\n    return turn[\"nothing\"]\nKeyError: 'nothing'" in text
    assert "hand 4: malformed, KeyError: 'nothing' (mybot.py:7)" in text
    assert "leaving after the running hand; Ctrl-C again ends at once" in text
    assert mine.lines[-1].startswith("net ")
    assert "after 6 hands" in mine.lines[-1]
    assert mine.lines[-1] in over
    assert " illegal" in mine.lines[-1]
    assert " malformed" in mine.lines[-1]
    room = await casino.room("faulty")
    assert room.summary is not None
    assert [seat.display_name for seat in room.summary.players] == ["Caller"]

    log = [json.loads(line) for line in (tmp_path / "mybot.log").read_text().splitlines()]
    kinds = {entry["event"] for entry in log}
    assert kinds == {"joined", "question", "answer", "failed", "rejected", "fault"}
    questions = [entry["requestId"] for entry in log if entry["event"] == "question"]
    ended = [entry for entry in log if entry["event"] in {"answer", "failed"}]
    assert questions == [entry["requestId"] for entry in ended]
    assert all(entry["latencyMs"] >= 0 for entry in ended)
    rejected = next(entry for entry in log if entry["event"] == "rejected")
    assert rejected["reason"].startswith("raise to 1 is below the smallest")
    faults = [(entry["outcome"], entry["handNumber"]) for entry in log if entry["event"] == "fault"]
    assert ("illegal", 2) in faults
    assert ("malformed", 4) in faults


async def test_a_changed_file_plays_at_once_and_a_broken_one_never(
    casino: ProcessCasino, tmp_path: Path
) -> None:
    """The seat is the same all the while."""
    await casino.open("changing", maxSeats=2, maxHands=100_000)
    bot = written(tmp_path)
    async with joined(bot, "--room", "changing", "--lobby", casino.lobby.url) as mine:
        await mine.line("seat 0")
        caller = await casino.sample("caller")
        assert (await casino.seat(caller.cards[0], "changing")).is_success
        await mine.line("a session begins")
        bot.write_text("def act(turn):\n    return {'action': \n")
        assert "mybot.py, line 2: SyntaxError" in await mine.line("the version before plays on")
        bot.write_text(
            "async def act(turn):\n"
            "    return {'action': 'call' if 'call' in turn['legalActions'] else 'check',"
            " 'message': 'new'}\n"
        )
        await mine.line("mybot.py was loaded again")

        async def is_heard() -> bool:
            events = await casino.http.get("/v1/rooms/changing/events?after=0&limit=5000")
            return '"new"' in events.text

        await eventually(is_heard)
        assert await mine.interrupt() == 0
    assert "no fault" in mine.lines[-1], mine.lines[-5:]


async def test_a_room_that_does_not_exist(casino: ProcessCasino, tmp_path: Path) -> None:
    """One sentence: which rooms there are, and the command that makes it."""
    bot = written(tmp_path)
    async with joined(bot, "--room", "nowhere", "--lobby", casino.lobby.url) as mine:
        assert await mine.ended() == 1
    assert mine.lines[-1].startswith(
        f"casino join: there is no room nowhere at {casino.lobby.url}."
    )
    assert f"casino room create nowhere --lobby {casino.lobby.url}" in mine.lines[-1]


async def test_a_debugger_has_the_terminal(tmp_path: Path) -> None:
    """`breakpoint()` in the bot, in a casino of its own with a clock of ten minutes."""
    bot = written(
        tmp_path,
        "def act(turn):\n"
        "    breakpoint()\n"
        "    return {'action': 'check' if 'check' in turn['legalActions'] else 'fold'}\n",
    )
    async with joined(bot, "--up", "--debug", "--lobby-port", "0", "--hands", "1") as mine:
        assert "mybot with" in await mine.line("seat 0")
        await mine.line("-> return {'action'")  # the debugger shows where it stopped
        await mine.type("p turn['deadlineMs'] > 590_000\n")
        await mine.line("True")
        await mine.type("c\n" * 20)
        await mine.line("1 hand")
        assert await mine.interrupt() == 0
    assert "no fault" in mine.lines[-1], mine.lines[-5:]
