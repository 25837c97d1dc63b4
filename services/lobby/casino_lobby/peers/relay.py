"""Relays announcements of free tables to the other lobbies, so that each can allocate them."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import structlog
from casino_contracts import RegisterTableInput

from casino_lobby.domain.member import Member
from casino_lobby.errors import LobbyError
from casino_lobby.peers.client import PeerClient
from casino_lobby.peers.operations import ANNOUNCED_TABLES, MOST_TABLES, AnnouncedTables

GATHER_S: Final = 0.1
"""How long announcements are gathered: the tables of one process announce themselves together."""

logger = structlog.get_logger(__name__)


class FleetRelay:
    """Sends announcements to the `others` in the background; a lost one comes again by itself.

    `sleep` takes seconds.
    """

    def __init__(
        self,
        client: PeerClient,
        others: Callable[[], Sequence[Member]],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._client = client
        self._others = others
        self._sleep = sleep
        self._gathered: dict[str, RegisterTableInput] = {}
        self._changed = asyncio.Event()

    def put(self, announcement: RegisterTableInput) -> None:
        """Relay an announcement soon, without what only the room's own lobby may read."""
        without = announcement.model_copy(update={"room_token": None, "request_id": None})
        self._gathered[announcement.agent_card_url] = without
        self._changed.set()

    async def run(self) -> None:
        """Relay what is put until cancelled."""
        while True:
            await self._changed.wait()
            await self._sleep(GATHER_S)
            self._changed.clear()
            tables, self._gathered = tuple(self._gathered.values()), {}
            async with asyncio.TaskGroup() as group:
                for peer in self._others():
                    group.create_task(self._send(peer, tables))

    async def _send(self, peer: Member, tables: tuple[RegisterTableInput, ...]) -> None:
        for first in range(0, len(tables), MOST_TABLES):
            message = AnnouncedTables(tables=tables[first : first + MOST_TABLES])
            try:
                await self._client.call(peer, ANNOUNCED_TABLES, message)
            except LobbyError as error:
                logger.info("announcements_not_relayed", peer=peer.number, error=str(error))
                return
