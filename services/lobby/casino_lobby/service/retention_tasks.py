"""What a lobby does all the time so that memory and database stay bounded.

It archives rooms that are over, and deletes old hands and archived rooms of the database.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

import structlog

from casino_lobby.domain.lobby_events import MessageBus, RoomArchived
from casino_lobby.domain.room import Room
from casino_lobby.errors import StoreFailed
from casino_lobby.settings import LobbySettings
from casino_lobby.store import Store

if TYPE_CHECKING:
    from casino_lobby.store import SqlStore

ARCHIVE_EVERY_S: Final = 60.0
"""The pause between two looks for archived rooms to delete."""
RECORDS_EVERY_S: Final = 10.0
"""The pause between two looks for old hands; a room without enough new ones costs nothing."""
_CLOSED_EVERY_S: Final = 60.0
"""The pause between two looks for rooms to archive."""
MOST_SLACK: Final = 100
MOST_OVER: Final = 1_000
_LONGEST_PAUSE_S = 1.0

CatchUp = Callable[[Sequence[Room]], Awaitable[None]]
"""Reads the events of rooms that no signed result covers yet."""

logger = structlog.get_logger(__name__)


class ArchiveKeeper:
    """Deletes rooms that were archived more than `kept` ago, in small commits.

    A pause follows each commit, as long as it lasted, so that play does not wait. `clock` returns
    seconds, `now` is the wall clock.
    """

    def __init__(
        self,
        store: "SqlStore",
        kept: timedelta,
        clock: Callable[[], float],
        now: Callable[[], datetime],
    ) -> None:
        self._store = store
        self._kept = kept
        self._clock = clock
        self._now = now

    async def run(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        """Delete what is due, again and again, until cancelled."""
        while True:
            try:
                await self.delete_old(sleep)
            except StoreFailed as failed:  # retried in the next round
                logger.warning("rooms_not_deleted", error=str(failed))
            await sleep(min(ARCHIVE_EVERY_S, self._kept.total_seconds()))

    async def delete_old(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        """Delete the rooms that are due by now; raises StoreFailed."""
        if not (self._store.is_held and self._store.retention.deletes_archived):
            return
        for room_id in await self._store.retention.expired_rooms(self._now() - self._kept):
            is_left = True
            while is_left:
                began = self._clock()
                is_left = await self._store.retention.delete_archived(room_id)
                await sleep(min(self._clock() - began, _LONGEST_PAUSE_S))
            logger.info("room_deleted", room=room_id)


class RecordKeeper:
    """Keeps the newest `keep` hands of each room that this lobby owns, and little more.

    The rest is deleted in small commits, with pauses in between as long as the commits last, so
    that play does not wait. `clock` returns seconds; `catch_up` is called before the events of a
    room are deleted.
    """

    def __init__(
        self, store: "SqlStore", keep: int, clock: Callable[[], float], catch_up: CatchUp
    ) -> None:
        self._store = store
        self._catch_up = catch_up
        self._keep = keep
        self._slack = min(MOST_SLACK, keep // 10)
        self._clock = clock
        self._due: dict[tuple[str, bool], int] = {}
        """By room, before and after its end: the hands it has completed at the next look."""

    async def run(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        """Delete what is due, again and again, until cancelled."""
        while True:
            await self.delete_old(sleep)
            await sleep(RECORDS_EVERY_S)

    async def delete_old(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        """Delete what is due by now; a room that cannot be changed is tried again next time."""
        if not self._store.is_held:
            return
        rooms = [room for room in self._store.own_rooms() if room.phase != "opening"]
        keys = [(room.room_id, room.is_over) for room in rooms]
        self._due = {key: self._due.get(key, 0) for key in keys}
        for room, key in zip(rooms, keys, strict=True):
            if room.hand_count >= self._due[key]:
                try:
                    self._due[key] = await self._look(room, sleep)
                except StoreFailed as failed:
                    logger.warning("records_not_deleted", room=room.room_id, error=str(failed))

    async def _look(self, room: Room, sleep: Callable[[float], Awaitable[None]]) -> int:
        """Delete the oldest hands; return at how many hands to look again."""
        counted, stored = room.hand_count, await self._store.retention.stored_hands(room)
        most = self._keep if room.is_over else self._keep + self._slack
        if stored > most:
            await self._delete(room, sleep)
            stored = await self._store.retention.stored_hands(room)
        return counted + max(1, most + 1 - stored)

    async def _delete(self, room: Room, sleep: Callable[[float], Awaitable[None]]) -> None:
        await self._catch_up([room])
        await self._store.save(room)  # a restart applies the events after the saved state
        kept = await self._store.retention.first_kept(room, self._keep)
        if kept is None:
            return
        total = 0
        while True:
            began = self._clock()
            deleted = await self._store.retention.delete_before(room, kept)
            if not deleted:
                break
            total += deleted
            await sleep(min(self._clock() - began, _LONGEST_PAUSE_S))
        logger.info("records_deleted", room=room.room_id, events=total)


class RoomArchiver:
    """Archives rooms that have been over for longer than `kept`, and the oldest beyond `most`.

    The time counts from when a room is first seen to be over, so it restarts with the process.
    `clock` returns seconds. Publishes `RoomArchived`.
    """

    def __init__(
        self,
        store: Store,
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
            await sleep(min(_CLOSED_EVERY_S, self._kept_s))

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


class RetentionTasks:
    """Archives rooms, and deletes old records of a database if the settings say so.

    `clock` returns seconds, `now` is the wall clock.
    """

    def __init__(
        self,
        settings: LobbySettings,
        store: Store,
        bus: MessageBus,
        clock: Callable[[], float],
        now: Callable[[], datetime],
        catch_up: CatchUp,
    ) -> None:
        archiver = RoomArchiver(store, settings.closed_rooms_kept, clock, bus)
        self._tasks = [archiver.run]
        if settings.keep_hands is None and settings.keep_rooms is None:
            return
        # Imported lazily: a store in memory has nothing to delete, and needs no SQLAlchemy.
        from casino_lobby.store import SqlStore  # noqa: PLC0415

        if settings.keep_hands is not None and isinstance(store, SqlStore):
            self._tasks.append(RecordKeeper(store, settings.keep_hands, clock, catch_up).run)
        if settings.keep_rooms is not None and isinstance(store, SqlStore):
            self._tasks.append(ArchiveKeeper(store, settings.keep_rooms, clock, now).run)

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            for task in self._tasks:
                group.create_task(task())
