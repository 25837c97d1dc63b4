"""Deletes the oldest events of a room with their hands, and archived rooms with everything.

What is loaded at a restart stays equal: only events are deleted that the room's saved state
contains.
"""

import json
from datetime import datetime
from typing import Final

from sqlalchemy import func, literal, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.domain.reported_event import RECENT_EVENTS
from casino_lobby.errors import StoreFailed
from casino_lobby.store import schema
from casino_lobby.store.lobby_store import Place
from casino_lobby.store.room_rows import delete_rows
from casino_lobby.store.schema import event, hand, room
from casino_lobby.store.statements import NumberedChange

MOST_DELETED: Final = 2_000
"""Maximum number of events that a transaction deletes, unless a single hand has more."""

_PLACE = (event.c.epoch, event.c.sequence)


async def stored_hands(connection: AsyncConnection, room_id: str) -> int:
    return await connection.scalar(select(func.count()).where(hand.c.room_id == room_id)) or 0


async def first_stored(connection: AsyncConnection, room_id: str) -> Place | None:
    oldest = select(*_PLACE).where(event.c.room_id == room_id).order_by(*_PLACE).limit(1)
    row = (await connection.execute(oldest)).one_or_none()
    return None if row is None else Place(*row)


async def first_kept(connection: AsyncConnection, room_id: str, keep: int) -> Place | None:
    """Return where the newest `keep` hands, and a snapshot, begin; None: nothing to delete."""
    kept = await _begin_of(connection, room_id, keep - 1)
    newest = [column.desc() for column in _PLACE]
    shown = select(*_PLACE).where(event.c.room_id == room_id).order_by(*newest)
    row = (await connection.execute(shown.limit(1).offset(RECENT_EVENTS - 1))).one_or_none()
    if kept is None or row is None:
        return None
    if kept <= row:
        return kept
    return await _begin_of(connection, room_id, 0, upto=Place(*row))


async def _begin_of(
    connection: AsyncConnection, room_id: str, newer: int, upto: Place | None = None
) -> Place | None:
    """Return where a hand begins that has `newer` newer ones; without a start, where it ends."""
    begin = func.coalesce(hand.c.first_sequence, hand.c.last_sequence)
    query = (
        select(hand.c.epoch, begin)
        .where(hand.c.room_id == room_id)
        .order_by(hand.c.epoch.desc(), hand.c.last_sequence.desc())
    )
    if upto is not None:
        query = query.where(tuple_(hand.c.epoch, begin) <= tuple_(*map(literal, upto)))
    row = (await connection.execute(query.limit(1).offset(newer))).one_or_none()
    return None if row is None else Place(*row)


async def next_step(
    connection: AsyncConnection, room_id: str, kept: Place, most: int = MOST_DELETED
) -> Place:
    """Return where the hands that are deleted next end: at most `most` events, or one hand."""
    of_room = select(*_PLACE).where(event.c.room_id == room_id)
    before = of_room.where(tuple_(*_PLACE) < tuple_(*kept)).order_by(*_PLACE)
    oldest = (await connection.execute(before.limit(1))).one_or_none()
    last = (await connection.execute(before.limit(1).offset(most))).one_or_none()
    if oldest is None or last is None:
        return kept
    begins = of_room.where(event.c.event_type == "hand_started", event.c.hand_number.is_not(None))
    newest = [column.desc() for column in _PLACE]
    within = begins.where(
        tuple_(*_PLACE) > tuple_(*oldest), tuple_(*_PLACE) <= tuple_(*last)
    ).order_by(*newest)
    beyond = begins.where(
        tuple_(*_PLACE) > tuple_(*last), tuple_(*_PLACE) < tuple_(*kept)
    ).order_by(*_PLACE)
    for query in (within, beyond):
        row = (await connection.execute(query.limit(1))).one_or_none()
        if row is not None:
            return Place(*row)
    return kept


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
        await self._delete_deals(connection)

    async def _delete_deals(self, connection: AsyncConnection) -> None:
        """Delete the blocks whose last hand is older than all that are kept."""
        key, deal = (hand.c.epoch, hand.c.hand_number), schema.deal
        oldest = select(*key).where(hand.c.room_id == self._room_id).order_by(*key).limit(1)
        row = (await connection.execute(oldest)).one_or_none()
        if row is not None:
            is_over = tuple_(deal.c.epoch, deal.c.last_hand) < tuple_(*row)
            await connection.execute(deal.delete().where(deal.c.room_id == self._room_id, is_over))


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
