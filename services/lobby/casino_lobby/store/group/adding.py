"""Adds and removes rooms in the database; in a group another lobby may add the same ids."""

from casino_agentkit import CommandRefused
from sqlalchemy import or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.domain.room import Room
from casino_lobby.store import schema
from casino_lobby.store.archive import delete_rows, room_json
from casino_lobby.store.group.room_book import room_exists, table_id_taken
from casino_lobby.store.rows import NumberedChange


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
