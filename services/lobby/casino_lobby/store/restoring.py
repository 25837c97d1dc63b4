"""Reading rooms and their books back, as far as the events in the tables have brought them."""

import json
from collections.abc import Iterable, Sequence

import structlog
from casino_contracts import TableEvent
from sqlalchemy import func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.rooms import RECENT_EVENTS, Room
from casino_lobby.store.books import Books
from casino_lobby.store.ledger import Ledger
from casino_lobby.store.schema import event, hand, ledger, room, session
from casino_lobby.store.store import StoreFailed

logger = structlog.get_logger(__name__)


async def rooms(connection: AsyncConnection) -> list[Room]:
    """Return every room, the oldest first."""
    found = []
    stored = await connection.execute(
        select(room.c.room_id, room.c.content)
        .where(room.c.archived_at.is_(None))
        .order_by(room.c.position)
    )
    for room_id, content in stored:
        try:
            one = Room.from_json(json.loads(content))
        except ValueError as error:
            raise StoreFailed(f"room {room_id} cannot be read back: {error}") from error
        await _recall(connection, one)
        fold(one, await unseen(connection, one))
        found.append(one)
    return found


def fold(one: Room, events: Sequence[TableEvent]) -> None:
    """Fold events into their room.

    Those that it has seen are left out. They are committed: one that the room cannot read (a
    foreign table's) changes nothing, but it must neither stop those after it nor the lobby when it
    starts again.
    """
    for told in events:
        if told.sequence is not None and told.sequence <= one.last_sequence:
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


async def _recall(connection: AsyncConnection, one: Room) -> None:
    """Give a room the newest of the events that it has folded already."""
    folded = tuple_(event.c.epoch, event.c.sequence) <= tuple_(one.epoch, one.last_sequence)
    newest = (
        select(event.c.content)
        .where(event.c.room_id == one.room_id, folded)
        .order_by(event.c.epoch.desc(), event.c.sequence.desc())
        .limit(RECENT_EVENTS)
    )
    contents = (await connection.scalars(newest)).all()
    one.recent.extend(_parsed(reversed(contents)))


async def unseen(connection: AsyncConnection, one: Room) -> list[TableEvent]:
    """Return the events that a room has not folded."""
    newer = (
        select(event.c.content)
        .where(
            event.c.room_id == one.room_id,
            event.c.epoch == one.epoch,
            event.c.sequence > one.last_sequence,
        )
        .order_by(event.c.sequence)
    )
    return _parsed((await connection.scalars(newer)).all())


def _parsed(contents: Iterable[str]) -> list[TableEvent]:
    return [TableEvent.model_validate_json(content) for content in contents]


async def balances(connection: AsyncConnection, room_id: str) -> dict[str, int]:
    """Return a room's accounts that are not empty."""
    sums = await connection.execute(
        select(ledger.c.account, func.sum(ledger.c.chips))
        .where(ledger.c.room_id == room_id)
        .group_by(ledger.c.account)
    )
    return {account: int(chips) for account, chips in sums if chips}


async def books(connection: AsyncConnection, one: Room) -> Books:
    """Return a room's books."""
    began = await connection.execute(
        select(event.c.epoch, event.c.hand_number, event.c.sequence)
        .where(event.c.room_id == one.room_id, event.c.epoch == one.epoch)
        .where(event.c.event_type == "hand_started", event.c.hand_number.is_not(None))
        .order_by(event.c.sequence.desc())
        .limit(1)
    )
    found = began.one_or_none()
    newest = (
        await connection.execute(
            select(session)
            .where(session.c.room_id == one.room_id)
            .order_by(session.c.number.desc())
            .limit(1)
        )
    ).one_or_none()
    made = Books(
        one.room_id,
        one.unit,
        Ledger(await balances(connection, one.room_id)),
        (found.epoch, found.hand_number, found.sequence) if found else None,
    )
    if newest is not None:
        made.sessions = newest.number
        made.is_in_session = newest.last_sequence is None
    if newest is not None and made.is_in_session:
        since = tuple_(hand.c.epoch, hand.c.last_sequence) > tuple_(
            newest.epoch, newest.first_sequence
        )
        counted = select(func.count()).where(hand.c.room_id == one.room_id, since)
        made.session_hands = await connection.scalar(counted) or 0
    return made
