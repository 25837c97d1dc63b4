"""Work in the background: tasks that end together, and how long it pauses after failures."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

import structlog

logger = structlog.get_logger(__name__)


def _log_failure(error: BaseException) -> None:
    logger.error("background_task_failed", error=repr(error))


class BackgroundTasks:
    """Holds references to tasks, else garbage-collected early; failures go to `on_failure`."""

    def __init__(self, on_failure: Callable[[BaseException], None] = _log_failure) -> None:
        self._on_failure = on_failure
        self._tasks: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._tasks)

    def begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    def cancel(self) -> None:
        """Cancel all tasks, without waiting for them."""
        for task in self._tasks:
            task.cancel()

    async def wait(self) -> None:
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def end(self) -> None:
        self.cancel()
        await self.wait()

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            self._on_failure(error)


_MOST_DOUBLINGS = 32
"""A larger power overflows a float after hours of failures, and exceeds every `slowest_s`."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """Pauses from `first_s` to `slowest_s` seconds.

    >>> backoff = Backoff(first_s=0.5, slowest_s=3.0)
    >>> [backoff.pause_s(failures) for failures in (1, 2, 3, 4, 5)]
    [0.5, 1.0, 2.0, 3.0, 3.0]
    """

    first_s: float
    slowest_s: float

    def pause_s(self, failures: int) -> float:
        """Return the seconds to wait after this number of failures in a row, at least 1."""
        doublings = min(failures - 1, _MOST_DOUBLINGS)
        return min(self.first_s * 2.0**doublings, self.slowest_s)
