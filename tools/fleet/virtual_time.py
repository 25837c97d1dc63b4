"""An event loop whose clock jumps to the next timer: hours of waiting pass in no time."""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

ResultT = TypeVar("ResultT")


class _NoWaiting(selectors.SelectSelector):
    """Waits for nothing: `advance` moves the clock by what was to be waited for."""

    def __init__(self, advance: Callable[[float], None]) -> None:
        super().__init__()
        self._advance = advance

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Return no event; raises RuntimeError if nothing will ever happen again."""
        if timeout is None:
            raise RuntimeError("every task waits for something that no timer brings about")
        if timeout > 0:
            self._advance(timeout)
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """Runs callbacks in the order of their times, without sockets, signals or threads."""

    def __init__(self) -> None:
        self._virtual_s = 0.0
        super().__init__(_NoWaiting(self._advance))

    def _advance(self, seconds: float) -> None:
        self._virtual_s += seconds

    def time(self) -> float:
        """Return the virtual time in seconds."""
        return self._virtual_s


def run_virtually(main: Callable[[VirtualLoop], Coroutine[Any, Any, ResultT]]) -> ResultT:
    """Run a coroutine function on a loop of its own; return its result."""
    loop = VirtualLoop()
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(main(loop))
