"""Rows of rooms: their stored form, archived rooms, deletion."""

import json
from collections.abc import Callable
from datetime import UTC, datetime

from casino_agentkit import CommandRefused
from casino_contracts import Reason
from sqlalchemy import or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.domain.room import Room
from casino_lobby.errors import StoreFailed
from casino_lobby.store import cursors, schema
from casino_lobby.store.connection.database import Database
from casino_lobby.store.rows import NumberedChange
from casino_lobby.store.schema import room as table
from casino_lobby.store.unreadable import UNREADABLE, fault_in

_OF_A_ROOM = (schema.event, schema.hand, schema.room)


class Archive:
    """Marks rooms as archived, so that a starting lobby skips them; `now` is the wall clock."""

    def __init__(
        self,
        database: Database,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._database = database
        self._now = now

    def put(self, room: Room) -> NumberedChange:
        """Return the change that saves a room and marks it as archived."""
        update = table.update().where(table.c.room_id == room.room_id)
        update = update.values(content=room_json(room))

        async def mark(connection: AsyncConnection, number: int | None) -> None:
            await connection.execute(update.values(archived_at=self._now(), changed=number))

        return NumberedChange(mark)

    async def refuse_known(self, room: Room) -> None:
        """Check that no archived room has an id of a new one, because they would share rows.

        Raises CommandRefused: ROOM_EXISTS, TABLE_ID_TAKEN, and StoreFailed.
        """
        same = or_(table.c.room_id == room.room_id, table.c.table_id == room.table_id)
        query = select(table.c.room_id).where(table.c.archived_at.is_not(None), same)
        async with self._database.reading() as connection:
            archived_ids = (await connection.scalars(query)).all()
        if room.room_id in archived_ids:
            raise CommandRefused(
                Reason.ROOM_EXISTS,
                f"There was a room {room.room_id}, which is archived; choose another roomId.",
            )
        if archived_ids:
            raise CommandRefused(
                Reason.TABLE_ID_TAKEN,
                f"Table {room.table_id} had a room, which is archived; choose another tableId.",
            )


async def delete_rows(connection: AsyncConnection, room_id: str) -> None:
    """Delete everything that is stored of a room."""
    await cursors.remember(connection)
    for of_room in _OF_A_ROOM:
        await connection.execute(of_room.delete().where(of_room.c.room_id == room_id))


def room_json(room: Room) -> str:
    """Return a room's stored form; raises StoreFailed if it could not be read back."""
    content = json.dumps(room.to_json())
    try:
        Room.from_json(json.loads(content))
    except UNREADABLE as error:
        raise StoreFailed(
            f"room {room.room_id} could not be read back: {fault_in(error)}"
        ) from error
    return content
