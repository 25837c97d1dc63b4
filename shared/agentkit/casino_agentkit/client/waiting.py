"""How calls wait: for a slot, within a deadline, between attempts; and what nobody waits for."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

from casino_agentkit.client.outgoing import origin_key
from casino_agentkit.errors import AgentError
from casino_agentkit.process.background_tasks import BackgroundTasks


class _OriginSlots:
    """The slots of one origin, and the number of calls that use or await one."""

    def __init__(self, slots: int) -> None:
        self.free = asyncio.Semaphore(slots)
        self.users = 0


class CallSlots:
    """Limits concurrent calls; further calls wait, up to their deadline.

    For calls to untrusted addresses: agents that never answer then delay only calls of this client.
    The slot per origin is acquired first, so that calls waiting for a busy origin do not hold a
    slot of the total.
    """

    def __init__(self, per_origin: int = 8, in_all: int = 64) -> None:
        self._per_origin = per_origin
        self._all = asyncio.Semaphore(in_all)
        self._places: dict[str, _OriginSlots] = {}

    @asynccontextmanager
    async def taken(self, url: str) -> AsyncIterator[None]:
        key = _key_of(url)
        place = self._places.setdefault(key, _OriginSlots(self._per_origin))
        place.users += 1
        try:
            async with place.free, self._all:
                yield
        finally:
            place.users -= 1
            if not place.users:
                del self._places[key]


def slot(slots: CallSlots | None, url: str) -> AbstractAsyncContextManager[None]:
    """Return the context of a slot, an empty one without a limit."""
    return nullcontext() if slots is None else slots.taken(url)


def _key_of(url: str) -> str:
    try:
        return str(origin_key(url))
    except ValueError:
        return ""  # an invalid URL is not called


Deadline = Callable[[float], AbstractAsyncContextManager[Any]]
"""Takes seconds, returns a context that raises TimeoutError after them, as asyncio.timeout does."""

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


Cancel = Callable[[float], Awaitable[None]]
"""Sends one cancellation; takes its timeout in seconds, raises AgentError."""

_MOST_CANCELLATIONS = 16  # number of cancellations under way; further ones are left out
_CANCELLATION_S = 1.0


class Cancellations:
    """Sends cancellations that nobody waits for, each within a second and in a slot."""

    def __init__(self, slots: CallSlots | None, deadline: Deadline) -> None:
        self._slots = slots
        self._deadline = deadline
        self._tasks = BackgroundTasks()

    def begin(self, url: str, cancel: Cancel) -> None:
        """Send a cancellation to the agent at a URL, unless too many are under way."""
        if len(self._tasks) < _MOST_CANCELLATIONS:
            self._tasks.begin(self._send(url, cancel))

    async def end(self) -> None:
        await self._tasks.end()

    async def _send(self, url: str, cancel: Cancel) -> None:
        try:
            async with self._deadline(_CANCELLATION_S), slot(self._slots, url):
                await cancel(_CANCELLATION_S)
        except (AgentError, TimeoutError):
            pass
