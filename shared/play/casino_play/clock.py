"""The clock of a process that asks players, injected so that tests can control time."""

import asyncio
import time
from datetime import UTC, datetime

_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Counts the time for which the machine was suspended too: a lease ends meanwhile."""

_SECOND_NS = 1_000_000_000


class Clock:
    """The system clock."""

    _second = -1
    _text = ""
    """The newest second as text, without its fraction."""

    def now(self) -> float:
        """Return monotonic seconds."""
        return time.clock_gettime(_CLOCK)

    def timestamp(self) -> str:
        """Return the wall-clock time as ISO 8601 in UTC, with milliseconds."""
        second, nanoseconds = divmod(time.time_ns(), _SECOND_NS)
        if second != self._second:
            self._second = second
            self._text = datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")
        return f"{self._text}.{nanoseconds // 1_000_000:03d}Z"

    async def sleep(self, seconds: float) -> None:
        """Wait for a number of seconds."""
        await asyncio.sleep(seconds)
