"""Events by their cursor: their place in the order of the whole lobby's commits."""

from collections.abc import Sequence

from casino_contracts import TableEvent
from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.store.schema import event
from casino_lobby.store.store import Committed

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
    connection: AsyncConnection, cursor: int, limit: int | None = None, room_id: str | None = None
) -> Sequence[Committed]:
    """Return the events after a cursor in its order; of one room, or of all."""
    found = (
        select(event.c.cursor, event.c.room_id, event.c.content)
        .where(event.c.cursor > cursor)
        .order_by(event.c.cursor)
        .limit(limit)
    )
    if room_id is not None:
        found = found.where(event.c.room_id == room_id)
    return [
        Committed(row.cursor, row.room_id, TableEvent.model_validate_json(row.content))
        for row in await connection.execute(found)
    ]
