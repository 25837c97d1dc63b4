"""Processes of a casino that keep their address through restarts, and their log."""

import asyncio
import contextlib
import json
import os
import signal
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from casino_agentkit import Child, ChildFailed, PortTaken

from support.casino.live import ENVIRONMENT, GRACE
from support.free_port import free_port

DEADLINE_S = 120.0
"""How long a casino on a busy machine may take to play on."""
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
        """Read a line."""
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


class Member:
    """A process of the casino that keeps its address through restarts."""

    def __init__(
        self, name: str, module: str, arguments: Sequence[str], more: Mapping[str, str], log: Log
    ) -> None:
        self.name = name
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._module = module
        self._arguments = [*arguments, "--port", str(self.port)]
        self.environment = {**ENVIRONMENT, **more}
        self._log = log
        self._child: Child | None = None

    @property
    def pid(self) -> int:
        """Its process id, or that of the last process."""
        assert self._child is not None
        return self._child.pid

    async def start(self) -> None:
        """Start the process, again while its port is still taken."""
        async with asyncio.timeout(DEADLINE_S):
            while True:
                try:
                    self._child = await Child.start(
                        self.name,
                        self._module,
                        self._arguments,
                        environment=self.environment,
                        timeout=3 * GRACE,
                        on_log=self._log.take,
                    )
                except ChildFailed as failed:
                    if failed.reason != PortTaken.reason:
                        raise
                else:
                    return

    async def end(self, how: signal.Signals) -> None:
        """End it by a signal, and wait for its end."""
        assert self._child is not None
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, how)
        async with asyncio.timeout(DEADLINE_S):
            await self._child.wait()

    def runs(self) -> bool:
        """Return whether it was started and has not ended."""
        return self._child is not None and self._child.exit_code is None

    async def kill(self) -> None:
        """End it at once, if it runs."""
        if self.runs():
            await self.end(signal.SIGKILL)

    async def ended(self) -> int:
        """Wait until it ends by itself; return its exit code."""
        assert self._child is not None
        async with asyncio.timeout(DEADLINE_S):
            return await self._child.wait()

    async def stop(self) -> None:
        """Stop it gracefully, even if it is frozen."""
        if self._child is not None and self._child.exit_code is None:
            os.kill(self.pid, signal.SIGCONT)
            await self._child.stop(3 * GRACE)
