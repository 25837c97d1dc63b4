"""A clock that stands until a test moves it."""

from collections.abc import Callable


class ManualTimer:
    """A call that is due at a time."""

    def __init__(self, when: float, call: Callable[[], None]) -> None:
        self.when = when
        self.call = call
        self.is_due = True

    def cancel(self) -> None:
        """Do not call any more."""
        self.is_due = False


class ManualClock:
    """Seconds that only `advance` moves; calls that are due run then, in order."""

    def __init__(self) -> None:
        self._now = 1_000.0
        self._timers: list[ManualTimer] = []

    def now(self) -> float:
        return self._now

    def at(self, when: float, call: Callable[[], None]) -> ManualTimer:
        timer = ManualTimer(when, call)
        self._timers.append(timer)
        return timer

    @property
    def due(self) -> int:
        """How many calls are due later."""
        return sum(timer.is_due for timer in self._timers)

    def advance(self, seconds: float) -> None:
        until = self._now + seconds
        while pending := [t for t in self._timers if t.is_due and t.when <= until]:
            timer = min(pending, key=lambda timer: timer.when)
            timer.is_due = False
            self._now = max(self._now, timer.when)
            timer.call()
        self._now = until
