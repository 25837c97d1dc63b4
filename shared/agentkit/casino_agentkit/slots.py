"""How many calls are under way at a time: to one host, and in all."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from casino_agentkit.origin import origin_of


class _Host:
    """The slots of one host, and who uses or awaits one."""

    def __init__(self, slots: int) -> None:
        self.free = asyncio.Semaphore(slots)
        self.users = 0


class CallSlots:
    """Lets so many calls at a time through; the others wait, as long as their caller's deadline.

    For calls to addresses that strangers name: agents that never answer then hold up one another,
    and no call that goes through another client. A slot in all is taken last, so that those who
    wait for a busy host take none.
    """

    def __init__(self, per_host: int = 8, in_all: int = 64) -> None:
        self._per_host = per_host
        self._all = asyncio.Semaphore(in_all)
        self._hosts: dict[str, _Host] = {}

    @asynccontextmanager
    async def taken(self, url: str) -> AsyncIterator[None]:
        """Hold a slot for a call to the host of a URL."""
        name = _host_of(url)
        host = self._hosts.setdefault(name, _Host(self._per_host))
        host.users += 1
        try:
            async with host.free, self._all:
                yield
        finally:
            host.users -= 1
            if not host.users:
                del self._hosts[name]


def _host_of(url: str) -> str:
    try:
        return origin_of(url).host
    except ValueError:
        return ""
