"""Archived rooms: no longer in memory, while their rows stay in the database."""

from collections.abc import Callable
from datetime import UTC, datetime

from casino_agentkit import CommandRefused
from sqlalchemy import or_, select

from casino_lobby.domain.room import Room
from casino_lobby.store.database import Database
from casino_lobby.store.schema import room as table
from casino_lobby.store.writer import Writer


class Archive:
    """Marks rooms as archived, so that a starting lobby skips them; `now` is the wall clock."""

    def __init__(
        self,
        database: Database,
        writer: Writer,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._database = database
        self._writer = writer
        self._now = now

    async def put(self, room: Room) -> None:
        """Mark a room as archived; raises StoreFailed."""
        update = (
            table.update().where(table.c.room_id == room.room_id).values(archived_at=self._now())
        )
        await self._writer.write(lambda connection: connection.execute(update))

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
                "ROOM_EXISTS",
                f"There was a room {room.room_id}, which is archived; choose another roomId.",
            )
        if archived_ids:
            raise CommandRefused(
                "TABLE_ID_TAKEN",
                f"Table {room.table_id} had a room, which is archived; choose another tableId.",
            )
