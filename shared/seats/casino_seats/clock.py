"""The clock of seats, injected so that tests control time."""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol


class Timer(Protocol):
    """A call that is due later."""

    def cancel(self) -> None: ...


class Clock(Protocol):
    """Monotonic seconds, and calls at a time."""

    def now(self) -> float:
        """Return monotonic seconds."""

    def at(self, when: float, call: Callable[[], None]) -> Timer:
        """Call a function at a time of `now`."""


class LoopClock:
    """The clock of the running event loop."""

    def now(self) -> float:
        return time.monotonic()

    def at(self, when: float, call: Callable[[], None]) -> Timer:
        loop = asyncio.get_running_loop()
        return loop.call_later(max(0.0, when - self.now()), call)
