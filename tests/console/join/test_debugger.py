"""Decisions in the main thread, beside the work of another one, for a debugger."""

import asyncio
import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest
from casino.errors import ConsoleError
from casino.join.reloaded_bot import Decide, decide_here
from casino_play.errors import FunctionFailed
from support.joined.joined_bot import joined, written
from support.processes import PATIENCE_S


def test_plain_functions_run_in_the_main_thread_and_the_work_does_not() -> None:
    """Also those that the loader runs in a worker thread."""
    threads: list[threading.Thread] = []

    async def decide(turn: dict[str, Any]) -> int:
        await asyncio.to_thread(lambda: threads.append(threading.current_thread()))
        number: int = turn["number"]
        return number

    async def work(there: Decide) -> int:
        threads.append(threading.current_thread())
        return int(await there({"number": 7}))

    assert decide_here(decide, work, lambda: None) == 7
    assert threads[0] is not threading.main_thread()
    assert threads[1] is threading.main_thread()


def test_errors_of_both_sides_arrive() -> None:
    """That of a decision at the work, that of the work at the command."""

    async def decide(_turn: dict[str, Any]) -> None:
        raise FunctionFailed("no idea")

    async def work(there: Decide) -> int:
        with pytest.raises(FunctionFailed, match="no idea"):
            await there({})
        raise ConsoleError("the end")

    with pytest.raises(ConsoleError, match="the end"):
        decide_here(decide, work, lambda: None)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_decision_fails_and_the_work_may_end_in_order(number: int) -> None:
    """Ctrl-C at the prompt of a debugger is no dead process."""
    interrupted = threading.Event()

    def act() -> None:
        os.kill(os.getpid(), number)
        threading.Event().wait(PATIENCE_S)

    async def decide(_turn: dict[str, Any]) -> None:
        await asyncio.to_thread(act)

    async def work(there: Decide) -> int:
        with pytest.raises(FunctionFailed, match="the decision was interrupted"):
            await there({})
        await asyncio.to_thread(interrupted.wait, PATIENCE_S)
        return 5

    assert decide_here(decide, work, interrupted.set) == 5
    assert interrupted.is_set()


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
