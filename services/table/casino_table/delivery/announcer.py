"""Announce the tables of a process to the lobby, each by itself, and say goodbye for them.

A restarted lobby has its tables again within seconds. A lobby that receives no announcement of a
table assigns it no new room, and gives a leased room of it to another table.
"""

import asyncio
import random
from collections.abc import Mapping
from datetime import timedelta
from typing import Literal

import structlog
from casino_agentkit import AgentClient, AgentError, RemoteAgent, RemoteRefused
from casino_agentkit.process.background_tasks import BackgroundTasks, Backoff
from casino_contracts import Reason, RegisterTableInput, RegisterTableOutput
from casino_play.turn import Clock

from casino_table.running_table import RunningTable
from casino_table.service import TableService

SKILL = "registerTable"
GOODBYE_LIMIT = timedelta(seconds=5)
"""How long a process that ends waits until another table has its room.

The lobby needs less than a second if a table is free. If none is, waiting does not help: the room
waits at the lobby for a free table.
"""
_GOODBYE_PAUSE_S = 0.2
_TIMEOUT = timedelta(seconds=3)
_ATTEMPTS_A_LEASE = 4
"""Two attempts fit into what is left of a lease after the longest interval, 5/12 of it."""
_BACKOFF = Backoff(first_s=0.2, slowest_s=5.0)
Leaving = Literal["soon", "now"]

logger = structlog.get_logger(__name__)


class LobbyLink:
    """The lobby to which the tables of a process announce themselves."""

    def __init__(self, client: AgentClient, lobby_url: str, fleet_key: str | None) -> None:
        self.lobby_url = lobby_url
        self._client = client
        self._fleet_key = fleet_key
        self._lobby: RemoteAgent | None = None

    async def lobby(self, timeout: timedelta) -> RemoteAgent:
        """Return the lobby; raises AgentError if its card cannot be read."""
        if self._lobby is None:
            self._lobby = await self._client.resolve(self.lobby_url, timeout=timeout)
        return self._lobby

    async def announce(
        self, lobby: RemoteAgent, announcement: RegisterTableInput, timeout: timedelta
    ) -> RegisterTableOutput:
        """Send an announcement; raises AgentError if the lobby does not take it."""
        try:
            return await lobby.call(
                SKILL, announcement, RegisterTableOutput, timeout=timeout, token=self._fleet_key
            )
        except AgentError:
            self._lobby = None  # read the card again: its address may have changed
            raise


class Announcement:
    """Announces one table, every `every` or as often as the lobby wants it."""

    def __init__(
        self,
        link: LobbyLink,
        card_url: str,
        table: TableService,
        clock: Clock,
        rng: random.Random,
        every: timedelta,
    ) -> None:
        self._link = link
        self._card_url = card_url
        self._table = table
        self._clock = clock
        self._rng = rng
        self._every_s = every.total_seconds()
        self._within_s: float | None = None
        """The longest interval that the lobby bears; None: it named none."""
        self._is_announced: bool | None = None
        """Whether the last attempt succeeded; None before the first."""

    async def repeat(self, leaving: Leaving | None = None) -> None:
        """Announce the table until cancelled; the interval varies to spread the load."""
        failures = 0
        while True:
            begun_at = self._clock.now()
            failures = 0 if await self._try(leaving) else failures + 1
            await self._clock.sleep(self._pause_s(begun_at, failures))

    async def drain(self, limit: timedelta) -> None:
        """Drain the table. The room of a leased one is handed over, and a free one says goodbye.

        The room stays while its hand is played, which keeps the lease; then it is taken over.
        """
        served = self._table.running
        if served is None:
            await self._table.drain(limit)
            await self._try("now")
            return
        if not served.is_leased:
            await self._table.drain(limit)
            return
        announcing = asyncio.create_task(self.repeat("soon"))
        try:
            is_delivered = await self._table.drain(limit)
        finally:
            announcing.cancel()
            await asyncio.wait([announcing])
        # A lobby that takes no events answers no goodbye either: it is tried only once.
        await self._say_goodbye(GOODBYE_LIMIT if is_delivered else timedelta())

    async def _say_goodbye(self, limit: timedelta) -> None:
        """Announce that the table asks nobody any more, until its room is taken over."""
        ends_at = self._clock.now() + limit.total_seconds()
        while True:
            answer = await self._try("now")
            if answer is not None and answer.is_released:
                logger.info("table_released", table=self._card_url)
                return
            if self._clock.now() + _GOODBYE_PAUSE_S > ends_at:
                logger.warning("table_not_released", table=self._card_url)
                return
            await self._clock.sleep(_GOODBYE_PAUSE_S)

    async def _try(self, leaving: Leaving | None) -> RegisterTableOutput | None:
        try:
            answer = await self._announce(leaving)
        except AgentError as error:
            if self._is_announced is not False:
                logger.warning(
                    "announcement_failed",
                    table=self._card_url,
                    lobby=self._link.lobby_url,
                    error=str(error),
                )
            self._is_announced = False
            return None
        if not self._is_announced:
            logger.info("announced", table=self._card_url, lobby=self._link.lobby_url)
        self._is_announced = True
        return answer

    async def _announce(self, leaving: Leaving | None) -> RegisterTableOutput:
        timeout = self._timeout()
        lobby = await self._link.lobby(timeout)
        served, sent_at = self._table.running, self._clock.now()
        message = _announcement(self._card_url, served, leaving)
        try:
            answer = await self._link.announce(lobby, message, timeout)
        except RemoteRefused as refusal:
            if refusal.reason == Reason.STALE_EPOCH and served is not None:
                self._table.room_moved(served)
            raise
        within_ms = answer.announce_within_ms
        self._within_s = None if within_ms is None else within_ms / 1000
        if served is not None and served is self._table.running and leaving != "now":
            served.answered(sent_at, self._clock.now(), answer.lease_ms)
        return answer

    def _timeout(self) -> timedelta:
        """Return how long an attempt may take: a second one must fit into a lease."""
        served = self._table.running
        lease_ms = served.configuration.lease_ms if served else None
        if lease_ms is None:
            return _TIMEOUT
        return min(_TIMEOUT, timedelta(milliseconds=lease_ms) / _ATTEMPTS_A_LEASE)

    def _pause_s(self, begun_at: float, failures: int) -> float:
        """Return the seconds until the next attempt.

        After a first failure it comes soon: the reason may be over, as when the room has moved.
        The table of a leased room goes on trying soon, because its lease runs out.
        """
        chance = self._rng.uniform(0.8, 1.2)
        interval_s = self._every_s * chance
        if self._within_s is not None:
            interval_s = min(interval_s, self._within_s * min(chance, 1.0))
        served = self._table.running
        if failures == 1 or (failures and served is not None and served.is_leased):
            return min(interval_s, _BACKOFF.pause_s(failures) * chance)
        return max(0.0, begun_at + interval_s - self._clock.now())


def _announcement(
    card_url: str, served: RunningTable | None, leaving: Leaving | None
) -> RegisterTableInput:
    """Return the announcement of a table; `room_token` proves that it serves the room."""
    key = served.room_key if served else None
    return RegisterTableInput(
        agent_card_url=card_url,
        table_id=served.table.table_id if served else None,
        epoch=served.table.epoch if served else None,
        room_token=key.events if key else None,
        leaving=leaving,
    )


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
        for announcement in self._announcements:
            self._tasks.begin(announcement.repeat())
        try:
            await self._tasks.wait()
        finally:
            await self._tasks.end()

    async def drain(self, limit: timedelta) -> None:
        for announcement in self._announcements:
            self._tasks.begin(announcement.drain(limit))
        await self._tasks.wait()


def _log_failure(error: BaseException) -> None:
    logger.error("announcing_failed", error=repr(error))
