"""The players' agents as the table knows them: their cards, read once, and again when lost."""

import asyncio
from datetime import timedelta

from casino_agentkit import AgentClient, AgentError, Peer

PROBE_TIMEOUT = timedelta(seconds=2)


class PlayerDirectory:
    """Peers by card URL."""

    def __init__(self, client: AgentClient) -> None:
        self._client = client
        self._peers: dict[str, Peer] = {}

    async def peer(self, card_url: str, timeout: timedelta) -> Peer:
        """Return a player's agent; raises AgentError when its card cannot be read."""
        known = self._peers.get(card_url)
        if known is None:
            known = self._peers[card_url] = await self._client.resolve(card_url, timeout=timeout)
        return known

    def forget(self, card_url: str) -> None:
        """Read the card again next time: the agent may have moved."""
        self._peers.pop(card_url, None)

    async def is_back(self, card_url: str) -> bool:
        """Tell whether a player's card can be read."""
        self.forget(card_url)
        try:
            async with asyncio.timeout(PROBE_TIMEOUT.total_seconds()):
                await self.peer(card_url, PROBE_TIMEOUT)
        except (AgentError, TimeoutError):
            return False
        return True
