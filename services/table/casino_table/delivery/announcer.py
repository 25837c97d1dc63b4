"""How a lobby learns of a process's tables: each announces itself, again and again.

So a lobby that was started anew knows them again within seconds, and one that hears nothing any
more gives them no new room.
"""

import asyncio
import random
from collections.abc import Mapping
from datetime import timedelta

import structlog
from casino_agentkit import AgentClient, AgentError, Peer
from casino_contracts import RegisterTableInput, RegisterTableOutput

from casino_table.clock import Clock
from casino_table.service import TableService

SKILL = "registerTable"
_TIMEOUT = timedelta(seconds=3)

logger = structlog.get_logger(__name__)


class Announcer:
    """Announces tables, given by their card URLs, to one lobby."""

    def __init__(
        self,
        client: AgentClient,
        lobby_url: str,
        tables: Mapping[str, TableService],
        clock: Clock,
        rng: random.Random,
        every: timedelta,
        fleet_key: str | None,
    ) -> None:
        self._client = client
        self._lobby_url = lobby_url
        self._tables = tables
        self._clock = clock
        self._rng = rng
        self._every = every
        self._fleet_key = fleet_key
        self._lobby: Peer | None = None
        self._is_heard: bool | None = None

    async def run(self) -> None:
        """Announce for ever, at a pace that many tables do not share."""
        while True:
            try:
                await self._announce()
            except AgentError as error:
                self._lobby = None  # its card is read again: it may have moved
                if self._is_heard is not False:
                    logger.warning("announcement_failed", lobby=self._lobby_url, error=str(error))
                self._is_heard = False
            else:
                if not self._is_heard:
                    logger.info("announced", lobby=self._lobby_url, tables=len(self._tables))
                self._is_heard = True
            await self._clock.sleep(self._every.total_seconds() * self._rng.uniform(0.8, 1.2))

    async def _announce(self) -> None:
        if self._lobby is None:
            self._lobby = await self._client.resolve(self._lobby_url, timeout=_TIMEOUT)
        lobby = self._lobby
        await asyncio.gather(
            *(
                lobby.call(
                    SKILL,
                    _announcement(card_url, host),
                    RegisterTableOutput,
                    timeout=_TIMEOUT,
                    token=self._fleet_key,
                )
                for card_url, host in self._tables.items()
            )
        )


def _announcement(card_url: str, host: TableService) -> RegisterTableInput:
    """Return what one table says; its room's right shows that it is the one that it names."""
    key = host.room_key
    return RegisterTableInput(
        agent_card_url=card_url,
        table_id=host.table_id,
        epoch=host.epoch,
        room_token=key.events if key else None,
    )
