"""Limit the number of concurrent calls, per origin and in total."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from casino_agentkit.client.origin import origin_key


class _Place:
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
        self._places: dict[str, _Place] = {}

    @asynccontextmanager
    async def taken(self, url: str) -> AsyncIterator[None]:
        """Hold a slot for a call to the origin of a URL."""
        key = _key_of(url)
        place = self._places.setdefault(key, _Place(self._per_origin))
        place.users += 1
        try:
            async with place.free, self._all:
                yield
        finally:
            place.users -= 1
            if not place.users:
                del self._places[key]


def _key_of(url: str) -> str:
    try:
        return str(origin_key(url))
    except ValueError:
        return ""  # an invalid URL is not called
