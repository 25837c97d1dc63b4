"""The time of a table: injected, so that a test decides how late it is."""

import asyncio
import time
from datetime import UTC, datetime


class Clock:
    """The system's time."""

    def now(self) -> float:
        """Return seconds of a clock that never goes back."""
        return time.monotonic()

    def timestamp(self) -> str:
        """Return the wall clock as ISO 8601 in UTC, to the millisecond."""
        return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)
