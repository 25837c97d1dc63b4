"""`casino join` as a process, at a real casino; its faults are in `tests/e2e/test_console.py`."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from support.casino.casino import ProcessCasino, process_casino
from support.joined.joined_bot import joined, written
from support.processes import eventually

pytestmark = [pytest.mark.full, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def casino() -> AsyncIterator[ProcessCasino]:
    """Run a lobby with free tables."""
    async with process_casino(CASINO_TABLE_DRAIN_TIMEOUT="1s") as casino:
        await casino.host_tables(4)
        yield casino


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
