"""An event's cursor, its position in the order of all commits: queries, and what is deleted."""

from collections.abc import Sequence

from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.domain.lobby_events import Committed
from casino_lobby.errors import TooFarBehind
from casino_lobby.store.schema import event, lobby_order, room
from casino_lobby.store.stored_rows import UnreadableRows, read_row

_NEWEST = {
    "sqlite": """
        SELECT max(
            coalesce((SELECT max(cursor) FROM event), 0),
            coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'event'), 0)
        )""",
    "postgresql": """
        SELECT greatest(
            (SELECT max(cursor) FROM event),
            (SELECT newest FROM lobby_order),
            (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM event_cursor_seq)
        )""",
}
"""By dialect: the greatest cursor ever assigned, even if its event was deleted."""

_REMEMBER = "SELECT setval('event_cursor_seq', greatest(:newest, 1), :newest > 0)"


async def newest(connection: AsyncConnection) -> int:
    """Return the greatest cursor ever assigned; 0 if there was none."""
    return int(await connection.scalar(text(_NEWEST[connection.dialect.name])) or 0)


async def remember(connection: AsyncConnection) -> None:
    """Advance PostgreSQL's sequence past deleted events; SQLite reuses no cursor by itself."""
    if connection.dialect.name == "postgresql":
        await connection.execute(text(_REMEMBER), {"newest": await newest(connection)})


async def of(connection: AsyncConnection, room_id: str, epoch: int, sequence: int) -> int | None:
    """Return an event's cursor, None if there is none."""
    query = select(event.c.cursor).where(
        event.c.room_id == room_id, event.c.epoch == epoch, event.c.sequence == sequence
    )
    cursor: int | None = await connection.scalar(query)
    return cursor


async def after(
    connection: AsyncConnection,
    cursor: int,
    unreadable: UnreadableRows,
    *,
    limit: int | None = None,
    room_id: str | None = None,
) -> Sequence[Committed]:
    """Skip and note unreadable events; the result is shorter than `limit` only at the end."""
    events: list[Committed] = []
    while limit is None or len(events) < limit:
        missing = None if limit is None else limit - len(events)
        query = (
            select(
                event.c.cursor, event.c.room_id, event.c.epoch, event.c.sequence, event.c.content
            )
            .where(event.c.cursor > cursor)
            .order_by(event.c.cursor)
            .limit(missing)
        )
        if room_id is not None:
            query = query.where(event.c.room_id == room_id)
        rows = (await connection.execute(query)).all()
        for row in rows:
            recorded = read_row(row, unreadable)
            if recorded is not None:
                events.append(Committed(row.cursor, row.room_id, recorded))
        if missing is None or len(rows) < missing:
            break
        cursor = rows[-1].cursor
    return events


class DeletedCursors:
    """The newest cursor of the deleted events of each room, and of all; a group keeps it true.

    >>> deleted = DeletedCursors()
    >>> deleted.note("r1", 7)
    >>> deleted.until("r1"), deleted.until("r2"), deleted.until(None)
    (7, 0, 7)
    """

    def __init__(self) -> None:
        self._by_room: dict[str, int] = {}
        self._newest = 0

    async def load(self, connection: AsyncConnection) -> None:
        """Take what is stored of the rooms that are not archived."""
        self.note_all(await stored_until(connection, None))
        query = select(room.c.room_id, room.c.deleted_until).where(
            room.c.deleted_until.is_not(None), room.c.archived_at.is_(None)
        )
        for room_id, until in await connection.execute(query):
            self.note(room_id, until)

    def until(self, room_id: str | None) -> int:
        return self._newest if room_id is None else self._by_room.get(room_id, 0)

    def note(self, room_id: str, until: int) -> None:
        self._by_room[room_id] = max(until, self._by_room.get(room_id, 0))
        self.note_all(until)

    def note_all(self, until: int) -> None:
        self._newest = max(until, self._newest)

    def forget(self, room_id: str) -> None:
        """Forget a room that is not in memory any more; what was deleted of all stays."""
        self._by_room.pop(room_id, None)


async def stored_until(connection: AsyncConnection, room_id: str | None) -> int:
    """Return the stored cursor up to which the events of a room, or of all, are deleted."""
    query = select(func.max(lobby_order.c.deleted_until))
    if room_id is not None:
        query = select(func.max(room.c.deleted_until)).where(room.c.room_id == room_id)
    return await connection.scalar(query) or 0


async def refuse_gap(connection: AsyncConnection, after: int, room_id: str | None) -> None:
    """Check, after a page of events was read, that none after a cursor was deleted.

    Raises TooFarBehind.
    """
    if after < await stored_until(connection, room_id):
        raise TooFarBehind
