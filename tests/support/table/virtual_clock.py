"""The clock of a table on the virtual event loop of a core test."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

from casino_play.turn import Clock

from support.loops.virtual_loop import loop

_LOOK_EVERY_S = 0.05


class VirtualClock(Clock):
    """The time of the running loop, from 1,000 s on: it passes only while everything waits."""

    @property
    def time(self) -> float:
        return self.now()

    def now(self) -> float:
        return 1000.0 + asyncio.get_running_loop().time()

    def timestamp(self) -> str:
        """Return the time as ISO 8601."""
        return datetime.fromtimestamp(self.now(), UTC).isoformat(timespec="milliseconds")

    def jump(self, seconds: float) -> None:
        """Put the clock forward, as if the test's own process had been stopped."""
        loop().pass_time(seconds)

    async def pass_time(self, seconds: float) -> None:
        await asyncio.sleep(seconds)  # virtual: the table's clock

    async def until(self, condition: Callable[[], object], seconds: float = 60) -> None:
        """Let time pass until a condition holds; fails if it does not in so many seconds."""
        ends_at = self.now() + seconds
        while not condition():
            is_late = self.now() >= ends_at  # virtual: the table's clock
            assert not is_late, f"did not happen within {seconds} s of the table's clock"
            await asyncio.sleep(_LOOK_EVERY_S)  # virtual: the table's clock
