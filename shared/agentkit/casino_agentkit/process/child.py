"""Services as child processes: started and supervised by a parent, and ended with it.

The parent holds the write end of the child's standard input open and never writes to it. When the
parent ends, even by SIGKILL, the kernel closes the pipe, and the child reads the end of file.
"""

import asyncio
import contextlib
import os
import signal
import sys
import threading
import time
from asyncio.subprocess import PIPE
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Protocol

import orjson

from casino_agentkit.errors import ChildFailed

_LINES_KEPT = 40
LINE_LIMIT = 1024 * 1024


def usable_cores() -> int:
    """Return how many cores this process may use, which a container may limit."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Process(Protocol):
    """What a parent needs of a process: its end, and what it writes."""

    @property
    def pid(self) -> int: ...

    @property
    def returncode(self) -> int | None:
        """None while it runs, negative for a signal."""

    @property
    def stdout(self) -> asyncio.StreamReader | None: ...

    @property
    def stderr(self) -> asyncio.StreamReader | None: ...

    def terminate(self) -> None: ...

    def kill(self) -> None: ...

    async def wait(self) -> int: ...


class Child:
    """One supervised process; `url` and `cards` are from its announcement."""

    def __init__(self, name: str, process: Process, on_log: Callable[[str], None]) -> None:
        self.name = name
        self.url = ""
        self.cards: tuple[str, ...] = ()
        self.log: deque[str] = deque(maxlen=_LINES_KEPT)
        self._process = process
        self._on_log = on_log
        self._reading = asyncio.create_task(self._read_log())

    @classmethod
    async def start(
        cls,
        name: str,
        module: str,
        arguments: Sequence[str] = (),
        *,
        environment: Mapping[str, str],
        timeout: timedelta = timedelta(seconds=20),
        on_log: Callable[[str], None] = lambda _line: None,
    ) -> "Child":
        """Run `python -m module --supervised` and return it once it is ready.

        `environment` is its complete environment. `on_log` is called for every line of its log.
        Raises ChildFailed, with its last lines, if it ends or is not ready within the timeout.
        """
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            module,
            "--supervised",
            *arguments,
            stdin=PIPE,  # held open, never written: see `exit_with_parent`
            stdout=PIPE,
            stderr=PIPE,
            env=dict(environment),
            limit=LINE_LIMIT,
            start_new_session=True,  # Ctrl-C goes to the supervisor, which stops it gracefully
        )
        return await cls.ready(name, process, timeout, on_log)

    @classmethod
    async def ready(
        cls, name: str, process: Process, timeout: timedelta, on_log: Callable[[str], None]
    ) -> "Child":
        """Return a supervised process once it is ready; else end it and raise ChildFailed."""
        child = cls(name, process, on_log)
        try:
            async with asyncio.timeout(timeout.total_seconds()):
                await child._read_announcement()
        except TimeoutError:
            await child.kill()
            last = f"its last line is: {child.log[-1]}" if child.log else "it printed nothing"
            fault = f"not ready within {timeout.total_seconds():g} s; {last}"
            raise ChildFailed(name, fault, child.log) from None
        except BaseException:
            await child.kill()
            raise
        return child

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """The exit code, None while it runs, negative for a signal."""
        return self._process.returncode

    async def wait(self) -> int:
        """Wait for its end and the end of its log, and return its exit code."""
        code = await self._process.wait()
        await self._reading
        return code

    async def stop(self, grace: timedelta) -> int:
        """Stop it gracefully (SIGTERM), and kill it after `grace`."""
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()
        try:
            async with asyncio.timeout(grace.total_seconds()):
                return await self.wait()
        except TimeoutError:
            return await self.kill()

    async def kill(self) -> int:
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        return await self.wait()

    async def _read_announcement(self) -> None:
        assert self._process.stdout is not None  # noqa: S101  it was asked for as PIPE
        line = await self._process.stdout.readline()
        if not line:
            code = await self.wait()
            raise ChildFailed(self.name, f"ended with code {code} before it was ready", self.log)
        ready = orjson.loads(line)
        if "error" in ready:
            await self.wait()
            error = ready["error"]
            raise ChildFailed(self.name, error["message"], self.log, error["reason"])
        self.url = ready["url"]
        self.cards = tuple(ready["cards"])

    async def _read_log(self) -> None:
        assert self._process.stderr is not None  # noqa: S101  it was asked for as PIPE
        async for line in self._process.stderr:
            text = line.decode(errors="replace").rstrip("\n")
            self.log.append(text)
            self._on_log(text)


_STDIN = 0
GRACE = timedelta(seconds=15)  # time for an orphan to shut down gracefully before it exits


def exit_with_parent(grace: timedelta = GRACE) -> None:
    """At the end of standard input; by a thread, as the event loop may be blocked."""
    threading.Thread(target=_watch, args=(grace,), name="lifeline", daemon=True).start()


def _watch(grace: timedelta) -> None:
    # os.read: a thread inside sys.stdin would hold its lock while the interpreter shuts down.
    while os.read(_STDIN, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(grace.total_seconds())
    os._exit(1)
