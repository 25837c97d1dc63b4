"""Processes of a casino, which keep their address through restarts, and their log."""

import asyncio
import contextlib
import json
import os
import signal
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from casino_agentkit import Child

from support.processes import PATIENCE_S, reserved_port

TESTS = str(Path(__file__).parents[2])
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("CASINO_")},
    # By which the plugin of the tiers finds what a worker has left.
    **{name: value for name, value in os.environ.items() if name == "CASINO_TEST_WORKER"},
    # Whatever is in front of the installed packages stays there, as in another checkout.
    "PYTHONPATH": os.pathsep.join(filter(None, (TESTS, os.environ.get("PYTHONPATH")))),
    "CASINO_LOBBY_TABLE_PORTS": "0",
    # Tests ask again and again until something is so; those of the limit set their own.
    "CASINO_LOBBY_COMMANDS_PER_MINUTE": "0",
    # Whatever the number of cores; tests of several processes set their own.
    "CASINO_TABLE_PROCESSES": "1",
}
"""What every process of a test has: nothing of the casino's but this."""
GRACE = timedelta(seconds=PATIENCE_S)
AT_ONCE = timedelta(0)
"""For tables whose events nobody takes: they would offer them for some time before they end."""
_LINES_KEPT = 10_000
_FAULTS_OF_OURS = {
    "background_task_failed",
    "chips_do_not_add_up",
    "close_failed",
    "drain_failed",
    "event_not_understood",
    "request_failed",
    "session_failed",
}
"""What no trouble from outside may bring about."""


class Log:
    """The log lines of all processes, which are also written to a file."""

    def __init__(self, path: Path) -> None:
        self._file = path
        self.resumed: list[tuple[str, int, int]] = []
        """Room, hand and decisions of every table that went on in the middle of a hand.

        Without those that had lost their tail: what is left of it may be of play that was void.
        """
        self.cut: set[str] = set()
        """Rooms whose table has lost its tail, and has not resumed since."""
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []

    def note(self, event: str, **values: Any) -> None:
        """Write what the test does, at its place among the lines of the processes."""
        self.take(json.dumps({"event": event, **values, "timestamp": f"{datetime.now(UTC)}"}))

    def take(self, line: str) -> None:
        with self._file.open("a") as file:
            file.write(line + "\n")
        try:
            reported: dict[str, Any] = json.loads(line)
        except ValueError:
            self.faults.append(line)
            return
        event = str(reported.get("event"))
        self.counts[event] += 1
        if event == "table_resumed":
            if reported["decisions"] and reported["table"] not in self.cut:
                self.resumed.append((reported["table"], reported["hand"], reported["decisions"]))
            self.cut.discard(reported["table"])
        if event in _FAULTS_OF_OURS:
            self.faults.append(line)


class Process:
    """A process of the casino, which can be killed, frozen and started again.

    It ends with the test's process, whose end closes its standard input (`parent_watch`).
    """

    def __init__(
        self,
        name: str,
        module: str,
        arguments: Sequence[str] = (),
        settings: Mapping[str, str] | None = None,
        on_log: Callable[[str], None] = lambda _line: None,
    ) -> None:
        self.name = name
        self.url = ""
        self.cards: tuple[str, ...] = ()
        self.environment = {**ENVIRONMENT, **(settings or {})}
        self._module, self._arguments, self._on_log = module, arguments, on_log
        self.lines: deque[str] = deque(maxlen=_LINES_KEPT)
        """Its last log lines, from before it was killed, too."""
        self._child: Child | None = None

    @property
    def child(self) -> Child:
        assert self._child is not None, f"{self.name} was never started"
        return self._child

    @property
    def pid(self) -> int:
        """Its process id, or that of the last process."""
        return self.child.pid

    @property
    def log(self) -> deque[str]:
        """Its last log lines."""
        return self.child.log

    def runs(self) -> bool:
        """Return whether it was started and has not ended."""
        return self._child is not None and self._child.exit_code is None

    async def start(self) -> None:
        self._child = await Child.start(
            self.name,
            self._module,
            self._arguments,
            environment=self.environment,
            timeout=GRACE,
            on_log=self._note,
        )
        self.url, self.cards = self._child.url, self._child.cards

    def _note(self, line: str) -> None:
        self.lines.append(line)
        self._on_log(line)

    async def end(self, how: signal.Signals) -> int:
        """End it by a signal, and return its exit code."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, how)
        return await self.ended()

    async def kill(self) -> None:
        if self.runs():
            await self.end(signal.SIGKILL)

    def freeze(self) -> None:
        """Stop it where it is, until `thaw`."""
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        os.kill(self.pid, signal.SIGCONT)

    async def ended(self) -> int:
        """Wait until it ends by itself; return its exit code."""
        async with asyncio.timeout(PATIENCE_S):
            return await self.child.wait()

    async def stop(self, grace: timedelta = GRACE) -> None:
        """Stop it gracefully, even if it is frozen; fails if it has to be killed for it."""
        if not self.runs():
            return
        with contextlib.suppress(ProcessLookupError):
            self.thaw()
            os.kill(self.pid, signal.SIGTERM)
        try:
            async with asyncio.timeout(grace.total_seconds()):
                await self.child.wait()
        except TimeoutError:
            await self.child.kill()
            assert not grace, "\n".join([f"{self.name} did not end by SIGTERM:", *self.log])


class Member(Process):
    """A process of the casino at a port of its own, which it keeps through restarts."""

    def __init__(
        self, name: str, module: str, arguments: Sequence[str], more: Mapping[str, str], log: Log
    ) -> None:
        self.port = reserved_port()
        super().__init__(name, module, [*arguments, "--port", str(self.port)], more, log.take)
        self.url = f"http://127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Start the process; its address stays its own, whatever it is known by to others."""
        await super().start()
        self.url = f"http://127.0.0.1:{self.port}"
