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

    async def peer(self, card_url: str, timeout: timedelta) -> Peer:
        """Return a player's agent; raises AgentError if its card cannot be read."""
        cached = self._peers.get(card_url)
        if cached is None:
            cached = self._peers[card_url] = await self._client.resolve(card_url, timeout=timeout)
        return cached

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
