"""Rows of rooms: adding, archiving and deleting them; another lobby may add the same ids."""

import json
from collections.abc import Callable
from datetime import UTC, datetime

from casino_agentkit import CommandRefused
from casino_contracts import Reason
from sqlalchemy import or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.domain.room import Room
from casino_lobby.errors import UNREADABLE, StoreFailed, fault_in
from casino_lobby.store import cursors, schema
from casino_lobby.store.lobby_database import Database
from casino_lobby.store.room_index import room_exists, table_id_taken
from casino_lobby.store.schema import room as table
from casino_lobby.store.statements import NumberedChange

_OF_A_ROOM = (schema.event, schema.hand, schema.deal, schema.room)


class Archive:
    """Marks rooms as archived, so that a starting lobby skips them; `now` is the wall clock."""

    def __init__(
        self, database: Database, now: Callable[[], datetime] = lambda: datetime.now(UTC)
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
        """May raise CommandRefused: ROOM_EXISTS, TABLE_ID_TAKEN; StoreFailed."""
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


class NewRoom:
    """The change that adds a room; `member` is this lobby's number in a group."""

    def __init__(self, room: Room, member: int | None) -> None:
        self._room = room
        self._member = member
        self._values = {
            "room_id": room.room_id,
            "table_id": room.table_id,
            "content": room_json(room),
        }
        self.refusal: CommandRefused | None = None
        """ROOM_EXISTS or TABLE_ID_TAKEN, if another lobby was first: then nothing was added."""
        self.change = NumberedChange(self._add)

    async def _add(self, connection: AsyncConnection, number: int | None) -> None:
        self.refusal = None
        is_left_over = True
        if self._member is not None:
            self.refusal, is_left_over = await self._look(connection, self._member)
        if self.refusal is not None:
            return
        if is_left_over:
            # An earlier room with this id that could not be deleted would cause a conflict.
            await delete_rows(connection, self._room.room_id)
        values = {**self._values, "owner": self._member, "changed": number}
        await connection.execute(schema.room.insert().values(values))

    async def _look(
        self, connection: AsyncConnection, member: int
    ) -> tuple[CommandRefused | None, bool]:
        """Return why a room cannot be added, and whether an own room of its id is left over."""
        table, room = schema.room, self._room
        query = select(table.c.room_id, table.c.owner, table.c.archived_at).where(
            or_(table.c.room_id == room.room_id, table.c.table_id == room.table_id)
        )
        rows = (await connection.execute(query)).all()
        for row in rows:
            if row.room_id != room.room_id:
                return table_id_taken(room), False
            if row.owner != member or row.archived_at is not None:
                return room_exists(room), False
        return None, bool(rows)


def removal(room: Room) -> NumberedChange:
    """Return the change that deletes a room; the members of a group learn of it."""

    async def remove(connection: AsyncConnection, number: int | None) -> None:
        await delete_rows(connection, room.room_id)
        if number is not None:
            await connection.execute(
                schema.removed_room.insert().values(changed=number, room_id=room.room_id)
            )

    return NumberedChange(remove)
