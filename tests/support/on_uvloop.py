"""Tests on the event loop that services run on, which reads and schedules differently."""

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec

import pytest
import uvloop

P = ParamSpec("P")


def on_uvloop(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Run an asynchronous test on a uvloop of its own: in real time, so in the tier full."""

    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        uvloop.run(test(*args, **kwargs))

    marked: Callable[P, None] = pytest.mark.full(run)
    return marked
