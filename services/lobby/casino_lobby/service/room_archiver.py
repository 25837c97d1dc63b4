"""Rooms that are over leave the lists, the streams' snapshots and the memory after a while."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Protocol

import structlog
from casino_agentkit import CommandRefused

from casino_lobby.domain.room import Room

MOST_OVER = 1_000
_EVERY_S = 60.0

logger = structlog.get_logger(__name__)


class ArchivingStore(Protocol):
    """A store that can let a room go."""

    def rooms(self) -> list[Room]:
        """Return all rooms, the oldest first."""
        ...

    async def archive(self, room: Room) -> None:
        """Let a room go from memory, and keep what was played; raises StoreFailed."""
        ...


class Ageing:
    """Archives rooms that have been over for longer than `kept`, and the oldest beyond `most`.

    The time runs from when a room is first seen to be over: after a restart it runs anew.
    `clock` gives seconds; `gone` is told of each room that has left.
    """

    def __init__(
        self,
        store: ArchivingStore,
        kept: timedelta,
        clock: Callable[[], float],
        *,
        most: int = MOST_OVER,
        gone: Callable[[Room], None] = lambda _room: None,
    ) -> None:
        self._store = store
        self._kept_s = kept.total_seconds()
        self._clock = clock
        self._most = most
        self._gone = gone
        self._over_since: dict[str, float] = {}

    async def run(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        """Look every minute, for ever."""
        while True:
            try:
                await self.archive_old()
            except (
                CommandRefused
            ) as refusal:  # the database is away: the rooms stay a little longer
                logger.warning("rooms_not_archived", reason=refusal.reason)
            await sleep(min(_EVERY_S, self._kept_s))

    async def archive_old(self) -> None:
        """Archive what is due; raises StoreFailed."""
        now = self._clock()
        over = [room for room in self._store.rooms() if room.is_over]
        self._over_since = {room.room_id: self._over_since.get(room.room_id, now) for room in over}
        over.sort(key=lambda room: self._over_since[room.room_id])
        beyond = max(0, len(over) - self._most)
        for place, room in enumerate(over):
            if place < beyond or now - self._over_since[room.room_id] >= self._kept_s:
                await self._store.archive(room)
                self._gone(room)
                logger.info("room_archived", room=room.room_id)
