"""The change that deletes the oldest events of a room, with their hands and ledger entries.

What is loaded at a restart stays equal: the balances, because one entry per account replaces those
of deleted events; the hands of a running session, because its row counts the deleted ones; and the
room, because only events are deleted that its saved state contains.
"""

import json

from sqlalchemy import func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.errors import StoreFailed
from casino_lobby.store import schema
from casino_lobby.store.retention.place import Place
from casino_lobby.store.rows import LedgerRow, NumberedChange

CARRIED = "carried"
"""The kind of ledger entries that stand for those of deleted events."""


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
        await self._carry(connection, last)
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
        """Delete the rows of hands, and count those of the running session in its row."""
        event, hand, session = schema.event, schema.hand, schema.session
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
        newest = select(session).where(session.c.room_id == self._room_id)
        newest = newest.order_by(session.c.number.desc()).limit(1)
        running = (await connection.execute(newest)).one_or_none()
        if running is not None and running.last_sequence is None:
            begin = tuple_(running.epoch, running.first_sequence)
            count = await connection.scalar(select(func.count()).where(old, end > begin)) or 0
            await connection.execute(
                session.update()
                .where(session.c.room_id == self._room_id, session.c.number == running.number)
                .values(deleted_hands=(running.deleted_hands or 0) + count)
            )
        await connection.execute(hand.delete().where(old))

    async def _carry(self, connection: AsyncConnection, last: Place) -> None:
        """Replace the ledger entries of deleted events by one per account, at the last of them."""
        ledger = schema.ledger
        old = (ledger.c.room_id == self._room_id) & (
            tuple_(ledger.c.epoch, ledger.c.sequence) < tuple_(*self._kept)
        )
        sums = select(ledger.c.account, func.sum(ledger.c.chips)).where(old)
        balances = (await connection.execute(sums.group_by(ledger.c.account))).all()
        await connection.execute(ledger.delete().where(old))
        entries = [
            LedgerRow(self._room_id, *last, account, CARRIED, int(chips), None)
            for account, chips in balances
            if chips
        ]
        if entries:
            await connection.execute(ledger.insert(), [entry._asdict() for entry in entries])


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
