"""asyncio's event loop with a clock that a test can put forward, so that it waits for no time."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec

P = ParamSpec("P")


class ShiftedLoop(asyncio.SelectorEventLoop):
    """A loop whose timers run as if more time had passed."""

    def __init__(self) -> None:
        super().__init__()
        self._ahead_s = 0.0

    def time(self) -> float:
        """Return the time in seconds."""
        return super().time() + self._ahead_s

    def pass_time(self, seconds: float) -> None:
        """Put the clock forward."""
        self._ahead_s += seconds

    @property
    def timers(self) -> int:
        """The number of timers that are set."""
        scheduled: list[asyncio.TimerHandle] = self._scheduled  # type: ignore[attr-defined]
        return sum(not timer.cancelled() for timer in scheduled)


def loop() -> ShiftedLoop:
    """Return the running loop."""
    running = asyncio.get_running_loop()
    assert isinstance(running, ShiftedLoop)
    return running


def on_shifted_loop(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Run an asynchronous test on such a loop of its own."""

    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        with asyncio.Runner(loop_factory=ShiftedLoop) as runner:
            runner.run(test(*args, **kwargs))

    return run
