"""What a database still has: archived rooms, and the events that are not deleted."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import Select, and_, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection
from typing_extensions import override

from casino_lobby.domain.room import Room
from casino_lobby.domain.room_fold import fold
from casino_lobby.errors import StoreFailed
from casino_lobby.store import projection
from casino_lobby.store.cursors import stored_until
from casino_lobby.store.deletion import (
    MOST_DELETED,
    Deletion,
    RoomRemoval,
    expired,
    first_kept,
    first_step,
    first_stored,
    next_step,
    stored_hands,
)
from casino_lobby.store.lobby_database import Database
from casino_lobby.store.lobby_store import KeptRecords, LobbyGroup, Place
from casino_lobby.store.room_index import RoomIndex
from casino_lobby.store.schema import room as table
from casino_lobby.store.statements import NumberedChange
from casino_lobby.store.stored_rows import UnreadableRows

_MOST_ROOMS: Final = 1_000
_LAST_FIRST: Final = (table.c.archived_at.desc(), table.c.position.desc())
_Rows = Select[tuple[int, str, str, str, datetime | None]]


class SqlRetention(KeptRecords):
    """Reads archived rooms, and deletes old events and hands.

    `write` commits a change as all others, and then calls a function.
    """

    def __init__(
        self,
        database: Database,
        unreadable: UnreadableRows,
        book: RoomIndex,
        group: LobbyGroup,
        write: Callable[[NumberedChange, Callable[[], None]], Awaitable[None]],
    ) -> None:
        self._database = database
        self._unreadable = unreadable
        self._book = book
        self._group = group
        self._write = write

    @override
    async def archived(self, room_id: str) -> Room | None:
        async with self._database.reading() as connection:
            return await find_archived(connection, room_id, self._unreadable)

    @override
    async def archived_rooms(self, after: str | None, limit: int) -> list[Room]:
        async with self._database.reading() as connection:
            return await archived_page(connection, after, limit, self._unreadable)

    @override
    async def archived_ids(self, limit: int) -> list[str]:
        query = select(table.c.room_id).where(table.c.archived_at.is_not(None))
        newest = query.order_by(*_LAST_FIRST).limit(limit)
        async with self._database.reading() as connection:
            return list((await connection.scalars(newest)).all())

    @override
    async def archived_among(self, room_ids: Sequence[str]) -> list[Room]:
        async with self._database.reading() as connection:
            rows = await connection.execute(_archived().where(table.c.room_id.in_(room_ids)))
        return [room for row in rows if (room := _room(row, self._unreadable)) is not None]

    @override
    def oldest_cursor(self, room: Room | None = None) -> int:
        return self._book.deleted.until(room.room_id if room and self._book.has(room) else None)

    @override
    async def kept_from(self, room: Room) -> Place | None:
        async with self._database.reading() as connection:
            if not await stored_until(connection, room.room_id):
                return None
            return await first_stored(connection, room.room_id)

    async def stored_hands(self, room: Room) -> int:
        """May raise StoreFailed."""
        async with self._database.reading() as connection:
            return await stored_hands(connection, room.room_id)

    async def first_kept(self, room: Room, keep: int) -> Place | None:
        """None if nothing may be deleted; raises StoreFailed."""
        async with self._database.reading() as connection:
            return await first_kept(connection, room.room_id, keep)

    async def delete_before(self, room: Room, kept: Place, most: int = MOST_DELETED) -> int:
        """Delete the oldest events of a room, and what is stored of their hands, in one commit.

        At most `most`; returns how many, 0 once none is left before `kept`. The room has to be
        saved before. Raises StoreFailed.
        """
        refuse_foreign(self._group, room)
        async with self._database.reading() as connection:
            step = await next_step(connection, room.room_id, kept, most)
        oldest = Deletion(room.room_id, step, self._book.member)

        def note() -> None:
            if oldest.events:
                self._book.deleted.note(room.room_id, oldest.until)

        await self._write(oldest.change, note)
        return oldest.events

    @property
    def deletes_archived(self) -> bool:
        """Whether this is the member of lowest number; two that believe so do no harm."""
        member = self._book.member
        return member is None or all(other.number > member for other in self._group.others())

    async def expired_rooms(self, before: datetime) -> list[str]:
        """Return ids of rooms that were archived before a time, at most 1,000; StoreFailed."""
        async with self._database.reading() as connection:
            return await expired(connection, before, _MOST_ROOMS)

    async def delete_archived(self, room_id: str, most: int = MOST_DELETED) -> bool:
        """Delete a room, or its oldest `most` events; False: none is left. Raises StoreFailed."""
        async with self._database.reading() as connection:
            step = await first_step(connection, room_id, most)
        work = RoomRemoval(room_id) if step is None else Deletion(room_id, step, None)

        await self._write(work.change, lambda: self._book.deleted.note_all(work.until))
        return step is not None


def refuse_foreign(group: LobbyGroup, room: Room) -> None:
    """Raise StoreFailed if a room is another lobby's."""
    if not group.owns(room):
        raise StoreFailed(f"room {room.room_id} is another lobby's")


async def find_archived(
    connection: AsyncConnection, room_id: str, unreadable: UnreadableRows
) -> Room | None:
    """Return an archived room with its newest events; None if there is none or it is unreadable."""
    row = (await connection.execute(_archived().where(table.c.room_id == room_id))).one_or_none()
    room = None if row is None else _room(row, unreadable)
    if room is not None:
        await projection.apply_recorded(connection, room, unreadable)
    return room


async def archived_page(
    connection: AsyncConnection, after: str | None, limit: int, unreadable: UnreadableRows
) -> list[Room]:
    """Return at most `limit` archived rooms, the last archived first, without newest events.

    Those follow that were archived before the room `after`; none if that is no archived room.
    Unreadable rooms are skipped; the result is shorter than `limit` only at the end.
    """
    rooms: list[Room] = []
    while len(rooms) < limit:
        missing = limit - len(rooms)
        query = _archived().order_by(*_LAST_FIRST)
        if after is not None:
            place = _archived().where(table.c.room_id == after)
            last = (await connection.execute(place)).one_or_none()
            if last is None:
                break
            is_earlier = and_(
                table.c.archived_at == last.archived_at, table.c.position < last.position
            )
            query = query.where(or_(table.c.archived_at < last.archived_at, is_earlier))
        rows = (await connection.execute(query.limit(missing))).all()
        for row in rows:
            room = _room(row, unreadable)
            if room is not None:
                fold(room, await projection.unapplied(connection, room, unreadable))
                room.recent.clear()
                rooms.append(room)
        if len(rows) < missing:
            break
        after = rows[-1].room_id
    return rooms


def _archived() -> _Rows:
    return select(
        table.c.position, table.c.room_id, table.c.table_id, table.c.content, table.c.archived_at
    ).where(table.c.archived_at.is_not(None))


def _room(row: Any, unreadable: UnreadableRows) -> Room | None:
    at = row.archived_at.replace(tzinfo=row.archived_at.tzinfo or UTC).astimezone(UTC)
    return projection.saved_room(row, unreadable, f"{at:%Y-%m-%dT%H:%M:%S}Z")
