"""The change that deletes the oldest events of a room, with their hands.

What is loaded at a restart stays equal: only events are deleted that the room's saved state
contains.
"""

import json

from sqlalchemy import func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.errors import StoreFailed
from casino_lobby.store import schema
from casino_lobby.store.retention.place import Place
from casino_lobby.store.rows import NumberedChange


class Deletion:
    """Deletes what is stored of a room before an event, the first one of a hand.

    `member` is the owner of the room in a group, None outside of one.
    """

    def __init__(self, room_id: str, kept: Place, member: int | None) -> None:
        self._room_id = room_id
        self._kept = kept
        self._member = member
        self.events = 0
        """How many events were deleted."""
        self.until = 0
        """The newest cursor of the events of the room that are deleted by now."""
        self.change = NumberedChange(self._delete)

    async def _delete(self, connection: AsyncConnection, number: int | None) -> None:
        self.events = self.until = 0
        event = schema.event
        old = tuple_(event.c.epoch, event.c.sequence) < tuple_(*self._kept)
        of_room = event.c.room_id == self._room_id
        counts = select(func.count(), func.max(event.c.cursor)).where(of_room, old)
        count, until = (await connection.execute(counts)).one()
        if not count:
            return
        newest = select(event.c.epoch, event.c.sequence).where(of_room, old)
        newest = newest.order_by(event.c.epoch.desc(), event.c.sequence.desc()).limit(1)
        last = Place(*(await connection.execute(newest)).one())
        if not await self._may_delete(connection, last):
            return
        await self._delete_hands(connection)
        await connection.execute(event.delete().where(of_room, old))
        await note_deleted(connection, self._room_id, until, number)
        self.events, self.until = count, until

    async def _may_delete(self, connection: AsyncConnection, last: Place) -> bool:
        """Return whether the room is there; raises StoreFailed if its saved state is too old."""
        room = schema.room
        query = select(room.c.content).where(room.c.room_id == self._room_id)
        if self._member is not None:
            query = query.where(room.c.owner == self._member)
        content = await connection.scalar(query)
        if content is None:
            return False
        saved = json.loads(content)
        if Place(saved["epoch"], saved["last_sequence"]) < last:
            raise StoreFailed(f"room {self._room_id} is not saved up to {last}")
        return True

    async def _delete_hands(self, connection: AsyncConnection) -> None:
        """Delete the rows of hands."""
        event, hand = schema.event, schema.hand
        completed = select(event.c.epoch, event.c.hand_number).where(
            event.c.room_id == self._room_id,
            tuple_(event.c.epoch, event.c.sequence) < tuple_(*self._kept),
            event.c.event_type == "hand_completed",
            event.c.hand_number.is_not(None),
        )
        end = tuple_(hand.c.epoch, hand.c.last_sequence)
        old = (
            (hand.c.room_id == self._room_id)
            & tuple_(hand.c.epoch, hand.c.hand_number).in_(completed)
            & (end < tuple_(*self._kept))
        )
        await connection.execute(hand.delete().where(old))


async def note_deleted(
    connection: AsyncConnection, room_id: str, until: int, number: int | None
) -> None:
    """Store the newest cursor of the deleted events of a room, with the number of the change."""
    room, order = schema.room, schema.lobby_order
    await connection.execute(
        room.update().where(room.c.room_id == room_id).values(deleted_until=until, changed=number)
    )
    is_newer = func.coalesce(order.c.deleted_until, 0) < until
    await connection.execute(order.update().where(is_newer).values(deleted_until=until))
