"""Announce the tables of a process to the lobby, each by itself, and say goodbye for them.

A restarted lobby has its tables again within seconds. A lobby that receives no announcement of a
table assigns it no new room, and gives a leased room of it to another table.
"""

import random
from collections.abc import Mapping
from datetime import timedelta

import structlog
from casino_agentkit import AgentClient
from casino_agentkit.process.background_tasks import BackgroundTasks
from casino_play.turn import Clock

from casino_table.delivery.announcement import Announcement, LobbyLink
from casino_table.service import TableService

logger = structlog.get_logger(__name__)


class Announcer:
    """Announce tables, keyed by card URL, to one lobby: each by itself, so that none waits."""

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
        link = LobbyLink(client, lobby_url, fleet_key)
        self._announcements = [
            Announcement(link, card_url, table, clock, rng, every)
            for card_url, table in tables.items()
        ]
        self._tasks = BackgroundTasks(_log_failure)

    async def run(self) -> None:
        """Announce every table until cancelled."""
        for announcement in self._announcements:
            self._tasks.begin(announcement.repeat())
        try:
            await self._tasks.wait()
        finally:
            await self._tasks.end()

    async def drain(self, limit: timedelta) -> None:
        """Drain every table, with its goodbye; see `Announcement.drain`."""
        for announcement in self._announcements:
            self._tasks.begin(announcement.drain(limit))
        await self._tasks.wait()


def _log_failure(error: BaseException) -> None:
    logger.error("announcing_failed", error=repr(error))
