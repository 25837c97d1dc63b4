"""Reading rooms and their books back, as far as the events in the tables have brought them."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import structlog
from casino_contracts import TableEvent
from sqlalchemy import Row, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.domain.room import RECENT_EVENTS, Room
from casino_lobby.store.ledger import Ledger
from casino_lobby.store.projection import RoomProjection
from casino_lobby.store.schema import event, hand, ledger, room, session
from casino_lobby.store.serialization import is_whole, read_row
from casino_lobby.store.unreadable import UNREADABLE, UnreadableRows

_EVENT = (event.c.room_id, event.c.epoch, event.c.sequence, event.c.content)

logger = structlog.get_logger(__name__)


class StoredRooms(NamedTuple):
    """The rooms of a database, the oldest first, and the ids of those that cannot be read."""

    rooms: list[Room]
    lost_ids: frozenset[str]
    lost_table_ids: frozenset[str]


class Lost(NamedTuple):
    """What an event was cannot be read any more, but it happened."""

    sequence: int


async def rooms(connection: AsyncConnection, unreadable: UnreadableRows) -> StoredRooms:
    """Return every room."""
    found, lost = [], []
    stored = await connection.execute(
        select(room.c.room_id, room.c.table_id, room.c.content)
        .where(room.c.archived_at.is_(None))
        .order_by(room.c.position)
    )
    for row in stored:
        one = _room(row, unreadable)
        if one is None:
            lost.append(row)
            continue
        await _recall(connection, one, unreadable)
        fold(one, await unseen(connection, one, unreadable))
        found.append(one)
    ids = frozenset(row.room_id for row in lost)
    return StoredRooms(found, ids, frozenset(row.table_id for row in lost))


def _room(row: Any, unreadable: UnreadableRows) -> Room | None:
    try:
        one = Room.from_json(json.loads(row.content))
        if (one.room_id, one.table_id) != (row.room_id, row.table_id):
            raise ValueError("it is the content of another room")
    except UNREADABLE as error:
        unreadable.note("room", str(row.room_id), error)
        return None
    return one


def fold(one: Room, events: Sequence[TableEvent | Lost]) -> None:
    """Fold events into their room.

    Those that it has seen are left out. They are committed: one that the room cannot read (a
    foreign table's) changes nothing, but it must neither stop those after it nor the lobby when it
    starts again. The same holds for one that is lost: those after it follow on it.
    """
    for told in events:
        if told.sequence is not None and told.sequence <= one.last_sequence:
            continue
        if isinstance(told, Lost):
            one.last_sequence = told.sequence
            continue
        try:
            one.apply(told)
        except ValueError as error:
            logger.warning(
                "event_not_understood",
                room=one.room_id,
                sequence=told.sequence,
                error=str(error),
            )


async def _recall(connection: AsyncConnection, one: Room, unreadable: UnreadableRows) -> None:
    """Give a room the newest of the events that it has folded already."""
    folded = tuple_(event.c.epoch, event.c.sequence) <= tuple_(one.epoch, one.last_sequence)
    newest = (
        select(*_EVENT)
        .where(event.c.room_id == one.room_id, folded)
        .order_by(event.c.epoch.desc(), event.c.sequence.desc())
        .limit(RECENT_EVENTS)
    )
    found = [read_row(row, unreadable) for row in await connection.execute(newest)]
    one.recent.extend(told for told in reversed(found) if told is not None)


async def unseen(
    connection: AsyncConnection, one: Room, unreadable: UnreadableRows
) -> list[TableEvent | Lost]:
    """Return the events that a room has not folded."""
    newer = (
        select(*_EVENT)
        .where(
            event.c.room_id == one.room_id,
            event.c.epoch == one.epoch,
            event.c.sequence > one.last_sequence,
        )
        .order_by(event.c.sequence)
    )
    found: list[TableEvent | Lost] = []
    for row in await connection.execute(newer):
        told = read_row(row, unreadable)
        if told is not None:
            found.append(told)
        elif is_whole(row.sequence):
            found.append(Lost(row.sequence))
    return found


async def balances(connection: AsyncConnection, room_id: str) -> dict[str, int]:
    """Return a room's accounts that are not empty."""
    sums = await connection.execute(
        select(ledger.c.account, func.sum(ledger.c.chips))
        .where(ledger.c.room_id == room_id)
        .group_by(ledger.c.account)
    )
    return {account: int(chips) for account, chips in sums if chips}


async def books(
    connection: AsyncConnection, one: Room, unreadable: UnreadableRows
) -> RoomProjection:
    """Return a room's books."""
    accounts = await balances(connection, one.room_id)
    if sum(accounts.values()):
        await _note_unbalanced(connection, one.room_id, unreadable)
    made = RoomProjection(
        one.room_id, one.unit, Ledger(accounts), hand=await _newest_hand(connection, one)
    )
    newest = await _newest_session(connection, one, unreadable)
    if newest is not None:
        made.sessions = newest.number
        made.is_in_session = newest.last_sequence is None and is_whole(
            newest.epoch, newest.first_sequence
        )
    if newest is not None and made.is_in_session:
        since = tuple_(hand.c.epoch, hand.c.last_sequence) > tuple_(
            newest.epoch, newest.first_sequence
        )
        counted = select(func.count()).where(hand.c.room_id == one.room_id, since)
        made.session_hands = await connection.scalar(counted) or 0
    return made


async def _note_unbalanced(
    connection: AsyncConnection, room_id: str, unreadable: UnreadableRows
) -> None:
    """Take note of the events whose entries do not sum to 0, as they were written."""
    unbalanced = (
        select(ledger.c.epoch, ledger.c.sequence)
        .where(ledger.c.room_id == room_id)
        .group_by(ledger.c.epoch, ledger.c.sequence)
        .having(func.sum(ledger.c.chips) != 0)
    )
    for epoch, sequence in await connection.execute(unbalanced):
        unreadable.note("ledger", f"{room_id} {epoch}/{sequence}", "its entries do not sum to 0")


async def _newest_hand(connection: AsyncConnection, one: Room) -> tuple[int, int, int] | None:
    """Return the newest hand that began: epoch, number, first sequence."""
    began = await connection.execute(
        select(event.c.epoch, event.c.hand_number, event.c.sequence)
        .where(event.c.room_id == one.room_id, event.c.epoch == one.epoch)
        .where(event.c.event_type == "hand_started", event.c.hand_number.is_not(None))
        .order_by(event.c.sequence.desc())
        .limit(1)
    )
    found = began.one_or_none()
    return (found[0], found[1], found[2]) if found and is_whole(*found) else None


async def _newest_session(
    connection: AsyncConnection, one: Room, unreadable: UnreadableRows
) -> Row[*tuple[Any, ...]] | None:
    newest_first = (
        select(session).where(session.c.room_id == one.room_id).order_by(session.c.number.desc())
    )
    place = 0
    while True:
        found = (await connection.execute(newest_first.limit(1).offset(place))).one_or_none()
        if found is None:
            return None
        if not is_whole(found.number, found.epoch, found.first_sequence):
            unreadable.note("session", f"{one.room_id} {found.number}", "it is not all numbers")
        if is_whole(found.number):
            return found
        place += 1
