"""`casino join` with a debugger; joined bots at a casino are in `tests/e2e/test_console.py`."""

from pathlib import Path

import pytest
from support.joined.joined_bot import joined, written


@pytest.mark.full
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
