"""How many calls are under way at a time: to one origin, and in all."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from casino_agentkit.client.origin import origin_of, same_origin_key


class _Place:
    """The slots of one origin, and how many use or await one."""

    def __init__(self, slots: int) -> None:
        self.free = asyncio.Semaphore(slots)
        self.users = 0


class CallSlots:
    """Lets so many calls at a time through; the others wait, as long as their caller's deadline.

    For calls to addresses that strangers name: agents that never answer then hold up one another,
    and no call that goes through another client. The slot among all is taken last, so that those
    who wait for a busy origin hold none.
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
        return same_origin_key(str(origin_of(url)))
    except ValueError:
        return ""  # it will not be called
