"""Archive closed and failed rooms after a retention period."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Protocol

import structlog

from casino_lobby.domain.lobby_events import MessageBus, RoomArchived
from casino_lobby.domain.room import Room
from casino_lobby.errors import StoreFailed

MOST_OVER = 1_000
_EVERY_S = 60.0

logger = structlog.get_logger(__name__)


class ArchivingStore(Protocol):
    """A store that can archive rooms."""

    def own_rooms(self) -> list[Room]:
        """Return the rooms that this lobby owns, the oldest first."""
        ...

    async def archive(self, room: Room) -> None:
        """Remove a room from memory but keep its records; raises StoreFailed."""
        ...


class RoomArchiver:
    """Archives rooms that have been over for longer than `kept`, and the oldest beyond `most`.

    The time counts from when a room is first seen to be over, so it restarts with the process.
    `clock` returns seconds. Publishes `RoomArchived`.
    """

    def __init__(
        self,
        store: ArchivingStore,
        kept: timedelta,
        clock: Callable[[], float],
        bus: MessageBus,
        *,
        most: int = MOST_OVER,
    ) -> None:
        self._store = store
        self._kept_s = kept.total_seconds()
        self._clock = clock
        self._most = most
        self._bus = bus
        self._over_since: dict[str, float] = {}

    async def run(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        """Archive rooms every minute, until cancelled."""
        while True:
            try:
                await self.archive_old()
            except StoreFailed as failed:  # retried in the next round
                logger.warning("rooms_not_archived", reason=failed.reason)
            await sleep(min(_EVERY_S, self._kept_s))

    async def archive_old(self) -> None:
        """Archive the rooms that are due; raises StoreFailed."""
        now = self._clock()
        over = [room for room in self._store.own_rooms() if room.is_over]
        self._over_since = {room.room_id: self._over_since.get(room.room_id, now) for room in over}
        over.sort(key=lambda room: self._over_since[room.room_id])
        beyond = max(0, len(over) - self._most)
        for index, room in enumerate(over):
            if index < beyond or now - self._over_since[room.room_id] >= self._kept_s:
                await self._store.archive(room)
                self._bus.publish(RoomArchived(room))
                logger.info("room_archived", room=room.room_id)
