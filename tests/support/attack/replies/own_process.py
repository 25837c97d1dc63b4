"""A process of its own for what is measured, as a table is one.

In the process of the tests the allocator has a past: where other tests have left holes in its
memory, a reply that grows is moved from one to the next, and uses several times its size.
"""

import signal
from collections.abc import Callable, Coroutine
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, ParamSpec, Self, TypeVar

import uvloop

P = ParamSpec("P")
R = TypeVar("R")
_MOST_S = 900
"""The process ends if a function takes longer, so that the tests fail and do not wait for it."""


class OwnProcess:
    """Runs coroutine functions in a process that has run nothing else."""

    def __init__(self) -> None:
        self._pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def run(
        self,
        function: Callable[P, Coroutine[Any, Any, R]],
        /,
        *arguments: P.args,
        **named: P.kwargs,
    ) -> R:
        """Run a function of a module of `support` on a uvloop; return or raise what it does."""
        return self._pool.submit(_on_uvloop, function, arguments, named).result()


def _on_uvloop(
    function: Callable[..., Coroutine[Any, Any, R]],
    arguments: tuple[Any, ...],
    named: dict[str, Any],
) -> R:
    signal.alarm(_MOST_S)
    try:
        return uvloop.run(function(*arguments, **named))
    finally:
        signal.alarm(0)
