"""Persistent store: SQLite in one file, or PostgreSQL by URL."""

import time
from collections.abc import Callable, Iterable, Sequence
from itertools import repeat

import structlog
from casino_agentkit.process.background_tasks import BackgroundTasks
from casino_contracts import TableEvent
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection
from typing_extensions import override

from casino_lobby.domain.lobby_events import (
    Committed,
    EventsCommitted,
    MessageBus,
    StoreHealth,
    StoreLost,
)
from casino_lobby.domain.reported_event import ReportedEvent, Writing, proved
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_fold import Lost, fold
from casino_lobby.domain.rooms_by_table import TablesInUse
from casino_lobby.errors import StoreFailed
from casino_lobby.store import cursors, projection, schema
from casino_lobby.store.commit_order import GroupOrder
from casino_lobby.store.cursors import refuse_gap
from casino_lobby.store.lobby_database import Database, why
from casino_lobby.store.lobby_store import LobbyGroup, NoGroup, Store
from casino_lobby.store.lock import LobbyLock, LockValidity
from casino_lobby.store.migrations import upgrade
from casino_lobby.store.replicas import Item, OwnChange, OwnEvent
from casino_lobby.store.room_index import RoomIndex
from casino_lobby.store.room_rows import Archive, NewRoom, removal, room_json
from casino_lobby.store.sql_commands import SqlCommands, SqlNameOwners
from casino_lobby.store.sql_group import SqlGroup
from casino_lobby.store.sql_hands import SqlHands
from casino_lobby.store.sql_publications import SqlPublications
from casino_lobby.store.sql_retention import SqlRetention, refuse_foreign
from casino_lobby.store.statements import NumberedChange, RoomContent, Rows
from casino_lobby.store.stored_rows import UnreadableRows, is_whole, read_row
from casino_lobby.store.writer import Writer

SAVED_EVERY = 1_000
"""A room is saved after this many events, so that a restart has few to apply."""

logger = structlog.get_logger(__name__)


def _log_unsaved(error: BaseException) -> None:
    logger.warning("room_not_saved", error=str(error))


class SqlStore(Store):
    """Serves rooms from memory and stores everything in SQL.

    On PostgreSQL another lobby may take the database over: then every change raises StoreFailed,
    and `StoreLost` is published. `url` is `sqlite+aiosqlite:////path/casino.db` or
    `postgresql+asyncpg://user@host/name`. `synchronous` is SQLite's: with `normal` nothing is lost
    if the process is killed, with `full` nothing if the machine loses power, at the cost of a disk
    flush per commit. `write` returns the stored form of an event, `unreadable` records rows that
    cannot be read. All changes go through `writer`, queries through `database`. `clock` returns
    seconds. With `peer_url`, the address of this lobby for the others, it is one of several active
    lobbies.
    """

    def __init__(
        self,
        url: str,
        *,
        synchronous: str = "normal",
        write: Writing = proved,
        unreadable: UnreadableRows | None = None,
        clock: Callable[[], float] = time.monotonic,
        peer_url: str | None = None,
    ) -> None:
        self.unreadable = unreadable = unreadable or UnreadableRows()
        order = None if peer_url is None else GroupOrder(peer_url)
        database = Database(url, synchronous, order.lock_of if order else LobbyLock)
        self._validity = LockValidity(lambda: database.can_lose_lock, self._lose, clock)
        self.bus = bus = MessageBus()
        writer = Writer(
            database,
            self._recover,
            unreadable,
            self._validity,
            order,
            lambda error: bus.publish(StoreHealth(error)),
        )
        self.database = database
        self.writer = writer
        self.in_use = TablesInUse()
        self._book = RoomIndex(self.in_use)
        self.commands: SqlCommands = SqlCommands(database, writer, unreadable, member=self._member)
        self._group: SqlGroup | None = None
        if order is not None:
            self._group = SqlGroup(
                url, database, writer, order, self._book, self.bus, unreadable, self.commands
            )
        self.group: LobbyGroup = self._group or NoGroup(self.room)
        self.hands = SqlHands(database, unreadable)
        self.names = SqlNameOwners(database, self._commit, self.bus)
        self.published = SqlPublications(database, writer)
        self.retention: SqlRetention = SqlRetention(
            database, unreadable, self._book, self.group, self._commit
        )
        self._write = write
        self._archive = Archive(self.database)
        self._current: set[str] = set()
        """Ids of the rooms whose memory is known to equal the database."""
        self._unsaved: dict[str, int] = {}
        """Number of events since each room was saved."""
        self._saving = BackgroundTasks(_log_unsaved)
        self._last_cursor = 0
        self._claimed: AsyncConnection | None = None

    @property
    @override
    def is_held(self) -> bool:
        return self._validity.is_held

    @override
    async def claim(self) -> bool:
        self.database.open()
        if self._claimed is None:
            self._claimed = await self.database.claim()
        return self._claimed is not None

    @override
    async def open(self) -> None:
        try:
            self.database.open()
            connection = self._claimed or await self.database.exclusive()
            self.writer.open(connection)
            await upgrade(connection)
            self._last_cursor = await self.writer.begin()
            async with self.database.reading(one_state=self._group is not None) as connection:
                newest = await cursors.newest(connection)
                self._book.member = self._member()
                self._book.load(await projection.load_rooms(connection, self.unreadable))
                await self._book.deleted.load(connection)
            if self._group is not None:
                await self._group.start(newest)
        except BaseException as error:
            await self.close()
            if isinstance(error, StoreFailed) or not isinstance(error, Exception):
                raise
            raise StoreFailed(why(error)) from error

    @override
    async def close(self) -> None:
        await self._saving.wait()
        if self._group is not None:
            await self._group.stop_taking()
        await self.writer.close()
        if self._group is not None:
            await self._group.close()
        claimed, self._claimed = self._claimed, None
        if claimed is not None:
            await claimed.close()  # not yet the writer's
        await self.database.close()

    def _lose(self) -> None:
        self.bus.publish(StoreLost(self._validity.term))

    def _member(self) -> int | None:
        return None if self._group is None else self._group.member

    # Rooms: read from memory.

    @override
    def room(self, room_id: str) -> Room | None:
        return self._book.room(room_id)

    @override
    def room_of_table(self, table_id: str) -> Room | None:
        return self._book.room_of_table(table_id)

    @override
    def rooms(self) -> list[Room]:
        return self._book.rooms()

    @override
    async def add(self, room: Room) -> None:
        self._book.refuse_taken(room, in_group=self._group is not None)
        new = NewRoom(room, self._member())
        self._book.keep(room, self._member())
        try:
            await self._commit(new.change)
        except BaseException:
            self._end(room)
            self._drop(room)
            raise
        if new.refusal is not None:
            self._book.drop(room)
            raise new.refusal

    @override
    async def save(self, room: Room) -> None:
        refuse_foreign(self.group, room)
        self._unsaved[room.room_id] = 0
        await self._commit(Rows(rooms=[RoomContent(room_json(room), room.room_id)]))

    @override
    async def remove(self, room: Room) -> None:
        refuse_foreign(self.group, room)
        self._end(room)
        self._drop(room)
        await self._commit(removal(room), ended=room.room_id)

    @override
    async def archive(self, room: Room) -> None:
        refuse_foreign(self.group, room)
        self._end(room)
        await self._commit(self._archive.put(room), ended=room.room_id)
        self._drop(room)

    @override
    async def refuse_archived(self, room: Room) -> None:
        await self._archive.refuse_known(room)

    def _drop(self, room: Room) -> None:
        if self._book.drop(room):
            self._current.discard(room.room_id)
            self._unsaved.pop(room.room_id, None)

    # Events.

    @override
    async def record(self, room: Room, events: Sequence[ReportedEvent]) -> None:
        refuse_foreign(self.group, room)
        if room.room_id not in self._current:
            await self._reload(room)
        # Events that were committed without the caller's knowledge are applied by now.
        events = [event for event in events if (event.sequence or 0) > room.last_sequence]
        if not self._book.has(room):
            raise StoreFailed(f"there is no room {room.room_id}")
        rows = projection.rows_of(room, events, self._write)
        try:
            await self.writer.write(rows, lambda: self._apply(room, rows, events))
            if self._group is not None:
                await self._group.published(rows.after + len(events))
        except BaseException:
            # If the connection was lost the outcome is unknown: reload before the next batch.
            self._current.discard(room.room_id)
            raise

    async def _reload(self, room: Room) -> None:
        """Bring a room up to date with the database.

        The writer runs the query, so that it follows all changes queued before.
        """
        events: list[TableEvent | Lost] = []

        async def load(connection: AsyncConnection) -> None:
            events[:] = await projection.unapplied(connection, room, self.unreadable)

        def apply() -> None:
            fold(room, events)
            self._current.add(room.room_id)

        await self.writer.write(load, apply)

    def _apply(self, room: Room, rows: Rows, events: Sequence[ReportedEvent]) -> None:
        self._current.add(room.room_id)
        if self._group is None:
            fold(room, events, is_recorder=True)
            committed = [
                Committed(cursor, room.room_id, event)
                for cursor, event in enumerate(events, start=rows.after + 1)
            ]
            self._publish(room, committed)
        else:
            epochs = (row.epoch for row in rows.events)
            self._committed(rows, map(OwnEvent, repeat(room.room_id), epochs, events))
        unsaved = self._unsaved.get(room.room_id, 0) + len(events)
        self._unsaved[room.room_id] = unsaved
        if unsaved >= SAVED_EVERY:
            self._saving.begin(self.save(room))

    def _recover(self, committed: Sequence[Committed]) -> None:
        """Apply events whose commit was not confirmed because the connection was lost."""
        if self._group is not None:
            self._group.recover()
        for item in committed:
            room = self._book.room(item.room_id)
            if room is not None:
                fold(room, [item.event], is_recorder=True)
                self._publish(room, [item])

    def _publish(self, room: Room, committed: Sequence[Committed]) -> None:
        if committed:
            self._last_cursor = committed[-1].cursor
            self.bus.publish(EventsCommitted(room, committed))

    async def _commit(
        self,
        work: Rows | NumberedChange,
        then: Callable[[], None] = lambda: None,
        *,
        ended: str | None = None,
    ) -> None:
        """Commit, then publish in the group's order; `ended` is a room that memory dropped."""

        def follow() -> None:
            then()
            self._committed(work, [OwnChange(ended)])

        await self.writer.write(work, follow)

    def _committed(self, work: Rows | NumberedChange, items: Iterable[Item]) -> None:
        if self._group is not None:
            after = work.after if isinstance(work, Rows) else (work.number or 0) - 1
            self._group.commit(after, items)

    def _end(self, room: Room) -> None:
        """Note that memory does not need a room any more: what is read of it is out of date."""
        if self._group is not None:
            self._group.replicas.end(room.room_id)

    @override
    async def events(
        self, room: Room, after: int, limit: int, epoch: int | None = None
    ) -> list[TableEvent]:
        event = schema.event
        events: list[TableEvent] = []
        async with self.database.reading() as connection:
            while len(events) < limit:
                missing = limit - len(events)
                query = (
                    select(event.c.room_id, event.c.epoch, event.c.sequence, event.c.content)
                    .where(event.c.room_id == room.room_id, event.c.epoch == (epoch or room.epoch))
                    .where(event.c.sequence > after)
                    .order_by(event.c.sequence)
                    .limit(missing)
                )
                rows = (await connection.execute(query)).all()
                parsed = (read_row(row, self.unreadable) for row in rows)
                events += [item for item in parsed if item is not None]
                if len(rows) < missing or not is_whole(rows[-1].sequence):  # non-integers sort last
                    break
                after = rows[-1].sequence
        return events

    @override
    async def committed(
        self, after: int, limit: int, room: Room | None = None
    ) -> Sequence[Committed]:
        async with self.database.reading() as connection:
            room_id = room.room_id if room else None
            events = await cursors.after(
                connection, after, self.unreadable, limit=limit, room_id=room_id
            )
            await refuse_gap(connection, after, room_id)
        return events

    @override
    async def cursor(self, room: Room, epoch: int, sequence: int) -> int | None:
        async with self.database.reading() as connection:
            return await cursors.of(connection, room.room_id, epoch, sequence)

    @property
    @override
    def last_cursor(self) -> int:
        return self._last_cursor if self._group is None else self._group.position
