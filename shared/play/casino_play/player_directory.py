"""Cache of the agents of players, resolved by card URL."""

import asyncio
from datetime import timedelta

from casino_agentkit import AgentClient, AgentError, Peer

PROBE_TIMEOUT = timedelta(seconds=2)


class PlayerDirectory:
    """Resolve and cache peers by card URL."""

    def __init__(self, client: AgentClient) -> None:
        self._client = client
        self._peers: dict[str, Peer] = {}
        self._reading: dict[str, asyncio.Event] = {}
        """Set when a card that is being read was read, or could not be."""

    async def peer(self, card_url: str, timeout: timedelta) -> Peer:
        """Return a player's agent; raises AgentError if its card cannot be read."""
        cached = self._peers.get(card_url)
        if cached is None:
            is_read = self._reading[card_url] = asyncio.Event()
            try:
                cached = await self._client.resolve(card_url, timeout=timeout)
                self._peers[card_url] = cached
            finally:
                is_read.set()
                if self._reading.get(card_url) is is_read:
                    del self._reading[card_url]
        return cached

    async def joined(self, card_url: str, timeout: timedelta) -> Peer:
        """Return a player's agent as `peer`, but wait for a reading of its card in progress."""
        if card_url not in self._peers and (is_read := self._reading.get(card_url)):
            await is_read.wait()
        return await self.peer(card_url, timeout)

    def cached(self, card_url: str) -> Peer | None:
        """Return a player's agent if its card was read already."""
        return self._peers.get(card_url)

    def forget(self, card_url: str) -> None:
        """Drop an agent from the cache: the next call reads its card again."""
        self._peers.pop(card_url, None)

    async def is_back(self, card_url: str) -> bool:
        """Return whether a player's card can be read now."""
        self.forget(card_url)
        try:
            async with asyncio.timeout(PROBE_TIMEOUT.total_seconds()):
                await self.peer(card_url, PROBE_TIMEOUT)
        except (AgentError, TimeoutError):
            return False
        return True
