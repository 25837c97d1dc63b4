"""`casino join` as a process, whose lines a test waits for."""

import asyncio
import os
import signal
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from support.casino.commands import CASINO
from support.casino.members import ENVIRONMENT
from support.processes import PATIENCE_S

CALLER = """
def act(turn):
    return {"action": "check" if "check" in turn["legalActions"] else "call"}
"""


class JoinedBot:
    """A bot's process; `lines` is what it has written so far."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.lines: list[str] = []
        self._news = asyncio.Event()
        self._reading = asyncio.create_task(self._read())

    @property
    def pid(self) -> int:
        return self.process.pid

    async def line(self, text: str, after: int = 0) -> str:
        """Wait for a line that has this text, behind so many lines; fails if the process ends."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                self._news.clear()
                for line in self.lines[after:]:
                    if text in line:
                        return line
                assert not self._reading.done(), "\n".join(self.lines)
                await self._news.wait()

    async def type(self, text: str) -> None:
        """Type into the terminal of the process."""
        assert self.process.stdin is not None
        self.process.stdin.write(text.encode())
        await self.process.stdin.drain()

    async def interrupt(self) -> int:
        """Press Ctrl-C, and return the exit code."""
        self.process.send_signal(signal.SIGINT)
        return await self.ended()

    async def ended(self) -> int:
        async with asyncio.timeout(PATIENCE_S):
            code = await self.process.wait()
            await self._reading
        return code

    async def _read(self) -> None:
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            self.lines.append(line.decode().rstrip("\n"))
            self._news.set()
        self._news.set()


def joined(
    bot: Path, *arguments: str, environment: Mapping[str, str] | None = None
) -> AbstractAsyncContextManager[JoinedBot]:
    """Run `casino join` for a file, and kill it at the end if it still runs."""
    return joined_in(bot.parent, str(bot), *arguments, environment=environment)


@asynccontextmanager
async def joined_in(
    directory: Path, *arguments: str, environment: Mapping[str, str] | None = None
) -> AsyncIterator[JoinedBot]:
    """Run `casino join` in a directory, and kill it at the end if it still runs."""
    process = await asyncio.create_subprocess_exec(
        *(*CASINO, "join", *arguments),
        stdin=PIPE,
        stdout=PIPE,
        stderr=STDOUT,
        env={**ENVIRONMENT, "PYTHONUNBUFFERED": "1", **(environment or {})},
        cwd=directory,
    )
    running = JoinedBot(process)
    try:
        yield running
    finally:
        if process.returncode is None:
            os.kill(process.pid, signal.SIGKILL)
        await process.wait()
        await running.ended()


def written(directory: Path, source: str = CALLER, name: str = "mybot.py") -> Path:
    """Write a bot's file and return its path."""
    path = directory / name
    path.write_text(source)
    return path
