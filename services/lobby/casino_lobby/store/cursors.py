"""Queries by cursor, an event's position in the order of all commits of the lobby."""

from collections.abc import Sequence

from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.domain.lobby_events import Committed
from casino_lobby.store.schema import event
from casino_lobby.store.serialization import read_row
from casino_lobby.store.unreadable import UnreadableRows

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
    """Ensure that no cursor is assigned again after events are deleted.

    SQLite's AUTOINCREMENT does so by itself; PostgreSQL's sequence has to be advanced, because the
    writer assigns cursors without it.
    """
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
    """Return the events after a cursor in cursor order, of one room or of all.

    Unreadable events are noted and skipped; the result is shorter than `limit` only at the end.
    """
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
