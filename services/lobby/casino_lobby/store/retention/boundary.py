"""Finds where the kept events of a room begin, without changing anything."""

from typing import Final

from sqlalchemy import func, literal, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.domain.reported_event import RECENT_EVENTS
from casino_lobby.store.retention.place import Place
from casino_lobby.store.schema import event, hand

MOST_DELETED: Final = 2_000
"""Maximum number of events that a transaction deletes, unless a single hand has more."""

_PLACE = (event.c.epoch, event.c.sequence)


async def stored_hands(connection: AsyncConnection, room_id: str) -> int:
    """Return how many completed hands of a room are stored."""
    return await connection.scalar(select(func.count()).where(hand.c.room_id == room_id)) or 0


async def first_stored(connection: AsyncConnection, room_id: str) -> Place | None:
    """Return the place of the oldest stored event of a room."""
    oldest = select(*_PLACE).where(event.c.room_id == room_id).order_by(*_PLACE).limit(1)
    row = (await connection.execute(oldest)).one_or_none()
    return None if row is None else Place(*row)


async def first_kept(connection: AsyncConnection, room_id: str, keep: int) -> Place | None:
    """Return where the newest `keep` hands of a room begin; None if nothing may be deleted.

    The events that a snapshot shows are kept as well.
    """
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
    """Return where the hand begins that has `newer` newer ones, of those that begin up to `upto`.

    A hand whose beginning was not reported begins with its `hand_completed`.
    """
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
    """Return up to where the oldest events can be deleted at once, at most `most` of them.

    No hand is stored in part: it is where a hand begins. A hand with more events is deleted whole.
    """
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
