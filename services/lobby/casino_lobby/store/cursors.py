"""Events by their cursor: their place in the order of the whole lobby's commits."""

from collections.abc import Sequence

from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.store.base import Committed
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
            (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM event_cursor_seq)
        )""",
}
"""By database: the greatest cursor that was ever given, though its event may be gone."""

_REMEMBER = "SELECT setval('event_cursor_seq', greatest(:newest, 1), :newest > 0)"


async def newest(connection: AsyncConnection) -> int:
    """Return the greatest cursor that was ever given; 0 when there was none."""
    return int(await connection.scalar(text(_NEWEST[connection.dialect.name])) or 0)


async def remember(connection: AsyncConnection) -> None:
    """See to it that no cursor is given again when events are removed.

    SQLite remembers by itself; PostgreSQL's sequence knows of no cursor that it did not give.
    """
    if connection.dialect.name == "postgresql":
        await connection.execute(text(_REMEMBER), {"newest": await newest(connection)})


async def of(connection: AsyncConnection, room_id: str, epoch: int, sequence: int) -> int | None:
    """Return an event's cursor, None when there is none."""
    found = select(event.c.cursor).where(
        event.c.room_id == room_id, event.c.epoch == epoch, event.c.sequence == sequence
    )
    cursor: int | None = await connection.scalar(found)
    return cursor


async def after(
    connection: AsyncConnection,
    cursor: int,
    unreadable: UnreadableRows,
    *,
    limit: int | None = None,
    room_id: str | None = None,
) -> Sequence[Committed]:
    """Return the events after a cursor in its order, as many as asked for while there are any.

    Those of one room, or of all. What cannot be read is noted and left out.
    """
    found: list[Committed] = []
    while limit is None or len(found) < limit:
        wanted = None if limit is None else limit - len(found)
        asked = (
            select(
                event.c.cursor, event.c.room_id, event.c.epoch, event.c.sequence, event.c.content
            )
            .where(event.c.cursor > cursor)
            .order_by(event.c.cursor)
            .limit(wanted)
        )
        if room_id is not None:
            asked = asked.where(event.c.room_id == room_id)
        rows = (await connection.execute(asked)).all()
        for row in rows:
            told = read_row(row, unreadable)
            if told is not None:
                found.append(Committed(row.cursor, row.room_id, told))
        if wanted is None or len(rows) < wanted:
            break
        cursor = rows[-1].cursor
    return found
