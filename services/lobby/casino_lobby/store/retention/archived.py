"""Reads archived rooms from the database."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Select, and_, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.domain.room import Room
from casino_lobby.domain.room_fold import fold
from casino_lobby.store import projection
from casino_lobby.store.schema import room as table
from casino_lobby.store.unreadable import UnreadableRows

_Rows = Select[tuple[int, str, str, str, datetime | None]]


async def find(
    connection: AsyncConnection, room_id: str, unreadable: UnreadableRows
) -> Room | None:
    """Return an archived room with its newest events; None if there is none or it is unreadable."""
    row = (await connection.execute(_archived().where(table.c.room_id == room_id))).one_or_none()
    room = None if row is None else _room(row, unreadable)
    if room is not None:
        await projection.apply_recorded(connection, room, unreadable)
    return room


async def page(
    connection: AsyncConnection, after: str | None, limit: int, unreadable: UnreadableRows
) -> list[Room]:
    """Return at most `limit` archived rooms, the last archived first, without newest events.

    Those follow that were archived before the room `after`; none if that is no archived room.
    Unreadable rooms are skipped; the result is shorter than `limit` only at the end.
    """
    rooms: list[Room] = []
    while len(rooms) < limit:
        missing = limit - len(rooms)
        query = _archived().order_by(table.c.archived_at.desc(), table.c.position.desc())
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
