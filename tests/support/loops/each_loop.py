"""Tests on both event loops: asyncio's own, and that of the services, which reads differently."""

import asyncio
import inspect
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any

import pytest
import uvloop

_LOOPS = {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}


def on_each_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Run an asynchronous test on a loop of its own, once for each kind of loop."""

    @wraps(test)
    def run(*args: Any, new_loop: Callable[[], asyncio.AbstractEventLoop], **kwargs: Any) -> None:
        with asyncio.Runner(loop_factory=new_loop) as runner:
            runner.run(test(*args, **kwargs))

    signature = inspect.signature(test)
    loop = inspect.Parameter("new_loop", inspect.Parameter.KEYWORD_ONLY)
    parameters = [*signature.parameters.values(), loop]
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    mark = pytest.mark.parametrize("new_loop", _LOOPS.values(), ids=_LOOPS.keys())
    marked: Callable[..., None] = mark(run)
    return marked
