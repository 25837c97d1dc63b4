"""A clock of a table that stands until a test lets time pass."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

from casino_play.clock import Clock

_STEP_S = 0.05
_SETTLING = 40
"""Rounds of the event loop after each step: a call between agents of this process takes some."""


class SteppedClock(Clock):
    """Seconds that only `pass_time` and `until` move; what sleeps is woken in order."""

    def __init__(self) -> None:
        self.time = 1000.0
        self._sleepers: list[tuple[float, asyncio.Event]] = []

    def now(self) -> float:
        """Return the time."""
        return self.time

    def timestamp(self) -> str:
        """Return the time as ISO 8601."""
        return datetime.fromtimestamp(self.time, UTC).isoformat(timespec="milliseconds")

    async def sleep(self, seconds: float) -> None:
        """Wait until the test has let the time pass."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        woken = asyncio.Event()
        sleeper = (self.time + seconds, woken)
        self._sleepers.append(sleeper)
        try:
            await woken.wait()
        finally:
            self._sleepers.remove(sleeper)

    async def pass_time(self, seconds: float) -> None:
        """Let seconds pass in small steps; between them everything works that can."""
        ends_at = self.time + seconds
        while self.time < ends_at:
            await self._step(min(_STEP_S, ends_at - self.time))

    async def until(self, condition: Callable[[], object], seconds: float = 60) -> None:
        """Let time pass until a condition holds; fails if it does not in so many seconds."""
        ends_at = self.time + seconds
        while not condition():
            assert self.time < ends_at, f"did not happen within {seconds} s of the table's clock"
            await self._step(_STEP_S)

    async def _step(self, seconds: float) -> None:
        self.time += seconds
        for wakes_at, woken in self._sleepers:
            if wakes_at <= self.time:
                woken.set()
        for _ in range(_SETTLING):
            await asyncio.sleep(0)
