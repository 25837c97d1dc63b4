"""Recounts the results of rooms of an older release, which kept none, from their events."""

from typing import Final

from casino_contracts.events.content import content_of
from sqlalchemy import literal, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.domain.room import Room
from casino_lobby.domain.room_fold import big_blind_of
from casino_lobby.domain.standings.room_results import RoomResults
from casino_lobby.store.retention.deleted_cursors import stored_until
from casino_lobby.store.retention.place import Place
from casino_lobby.store.schema import event
from casino_lobby.store.serialization import read_row
from casino_lobby.store.unreadable import UnreadableRows

MOST_EVENTS: Final = 200_000
"""Results of a room with more events begin at the update; to recount them takes too long."""

_PAGE: Final = 2_000
_PLACE = (event.c.epoch, event.c.sequence)


async def complete(connection: AsyncConnection, room: Room, unreadable: UnreadableRows) -> None:
    """Give a room the results of its earlier hands, if they lack some and can be recounted."""
    if room.results.since_hand is not None:
        recounted = await results(connection, room, unreadable)
        if recounted is not None:
            room.results.become(recounted)


async def results(
    connection: AsyncConnection, room: Room, unreadable: UnreadableRows, most: int = MOST_EVENTS
) -> RoomResults | None:
    """Return the results of a room by all events that it has applied.

    None if not all of them are stored and readable, or if there are more than `most`.
    """
    if await stored_until(connection, room.room_id):
        return None
    counted, big_blind = RoomResults(), big_blind_of(room)
    upto = tuple_(*_PLACE) <= tuple_(literal(room.epoch), literal(room.last_sequence))
    query = select(event.c.room_id, *_PLACE, event.c.content).where(
        event.c.room_id == room.room_id, upto
    )
    after: Place | None = None
    for _ in range(-(-most // _PAGE)):
        page = query.order_by(*_PLACE).limit(_PAGE)
        if after is not None:
            page = page.where(tuple_(*_PLACE) > tuple_(*map(literal, after)))
        rows = (await connection.execute(page)).all()
        for row in rows:
            read = read_row(row, unreadable)
            if read is None:
                return None
            counted.add(content_of(read), row.epoch, big_blind)
            after = Place(row.epoch, row.sequence)
        if len(rows) < _PAGE:
            return counted
    return None
