"""Deletes archived rooms with everything of theirs, the events of large ones step by step."""

import json
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.store.archive import delete_rows
from casino_lobby.store.retention.boundary import MOST_DELETED, first_kept, next_step
from casino_lobby.store.retention.deletion import note_deleted
from casino_lobby.store.retention.place import Place
from casino_lobby.store.rows import NumberedChange
from casino_lobby.store.schema import event, room


async def expired(connection: AsyncConnection, before: datetime, limit: int) -> list[str]:
    """Return the ids of rooms that were archived before a time, the first archived first."""
    query = (
        select(room.c.room_id)
        .where(room.c.archived_at < before)
        .order_by(room.c.archived_at)
        .limit(limit)
    )
    return list((await connection.scalars(query)).all())


async def first_step(
    connection: AsyncConnection, room_id: str, most: int = MOST_DELETED
) -> Place | None:
    """Return up to where events of a room can be deleted before the rest; None: all at once.

    Only of a room whose saved state contains them: it may be read until the rest is deleted.
    """
    content = await connection.scalar(select(room.c.content).where(room.c.room_id == room_id))
    kept = await first_kept(connection, room_id, 1)
    if content is None or kept is None:
        return None
    step = await next_step(connection, room_id, kept, most)
    try:
        saved = json.loads(content)
        is_saved = Place(saved["epoch"], saved["last_sequence"]) >= step
    except (ValueError, KeyError, TypeError):  # the room is unreadable
        is_saved = False
    return step if is_saved and step < kept else None


class RoomRemoval:
    """Deletes everything of an archived room; nothing if there is none of its id any more."""

    def __init__(self, room_id: str) -> None:
        self._room_id = room_id
        self.until = 0
        """The newest cursor of its events."""
        self.change = NumberedChange(self._remove)

    async def _remove(self, connection: AsyncConnection, number: int | None) -> None:
        self.until = 0
        query = select(room.c.archived_at).where(room.c.room_id == self._room_id)
        if await connection.scalar(query) is None:
            return
        newest = select(func.max(event.c.cursor)).where(event.c.room_id == self._room_id)
        self.until = await connection.scalar(newest) or 0
        await note_deleted(connection, self._room_id, self.until, number)
        await delete_rows(connection, self._room_id)
