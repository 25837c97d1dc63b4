"""Announce the tables of a process to the lobby, periodically.

A restarted lobby has its tables again within seconds. A lobby that receives no announcement of a
table assigns it no new room.
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
    """Announce tables, keyed by card URL, to one lobby."""

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
        self._is_announced: bool | None = None
        """Whether the last round succeeded; None before the first."""

    async def run(self) -> None:
        """Announce until cancelled; the interval varies by 20 % to spread the load."""
        while True:
            try:
                await self._announce()
            except AgentError as error:
                self._lobby = None  # resolve the card again: its address may have changed
                if self._is_announced is not False:
                    logger.warning("announcement_failed", lobby=self._lobby_url, error=str(error))
                self._is_announced = False
            else:
                if not self._is_announced:
                    logger.info("announced", lobby=self._lobby_url, tables=len(self._tables))
                self._is_announced = True
            await self._clock.sleep(self._every.total_seconds() * self._rng.uniform(0.8, 1.2))

    async def _announce(self) -> None:
        if self._lobby is None:
            self._lobby = await self._client.resolve(self._lobby_url, timeout=_TIMEOUT)
        lobby = self._lobby
        await asyncio.gather(
            *(
                lobby.call(
                    SKILL,
                    _announcement(card_url, table),
                    RegisterTableOutput,
                    timeout=_TIMEOUT,
                    token=self._fleet_key,
                )
                for card_url, table in self._tables.items()
            )
        )


def _announcement(card_url: str, table: TableService) -> RegisterTableInput:
    """Return the announcement of a table; `room_token` proves that it serves the room."""
    key = table.room_key
    return RegisterTableInput(
        agent_card_url=card_url,
        table_id=table.table_id,
        epoch=table.epoch,
        room_token=key.events if key else None,
    )
