"""Addresses of names, looked up once for all calls at the same time, and kept for a minute."""

import asyncio
from typing import Final

from casino_agentkit.bounded_state import LruDict
from casino_agentkit.client.origin import Origin
from casino_agentkit.client.resolver import PolicyResolver

_KEPT_S: Final = 60.0
_MOST_NAMES: Final = 4_096


class KnownAddresses:
    """The addresses of origins that may be connected to."""

    def __init__(self, resolver: PolicyResolver) -> None:
        self._resolver = resolver
        self._addresses = LruDict[str, tuple[float, list[str]]](_MOST_NAMES)
        self._running: dict[str, asyncio.Task[list[str]]] = {}

    async def of(self, origin: Origin) -> list[str]:
        """Return the addresses of an origin. Raises OSError."""
        host = origin.host
        if origin.is_address:
            return [host]
        now = asyncio.get_running_loop().time()
        kept = self._addresses.get(host)
        if kept is not None and kept[0] > now:
            return kept[1]
        running = self._running.get(host)
        if running is None:
            running = self._running[host] = asyncio.create_task(self._look_up(host))
            running.add_done_callback(lambda _task: self._running.pop(host, None))
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if running.cancelled() and not (task and task.cancelling()):
                raise ConnectionAbortedError from None  # the look-up was cancelled, not the call
            raise

    def close(self) -> None:
        """Cancel look-ups: calls that wait for one fail."""
        for running in self._running.values():
            running.cancel()

    async def _look_up(self, host: str) -> list[str]:
        addresses = await self._resolver.admitted(host)
        ends_at = asyncio.get_running_loop().time() + _KEPT_S
        self._addresses.put(host, (ends_at, addresses))
        return addresses
