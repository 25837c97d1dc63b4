"""The clock of a process that asks players, injected so that tests can control time."""

import asyncio
import time
from datetime import UTC, datetime

_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Counts the time for which the machine was suspended too: a lease ends meanwhile."""


class Clock:
    """The system clock."""

    def now(self) -> float:
        """Return monotonic seconds."""
        return time.clock_gettime(_CLOCK)

    def timestamp(self) -> str:
        """Return the wall-clock time as ISO 8601 in UTC, with milliseconds."""
        return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    async def sleep(self, seconds: float) -> None:
        """Wait for a number of seconds."""
        await asyncio.sleep(seconds)
