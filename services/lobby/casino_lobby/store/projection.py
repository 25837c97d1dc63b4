"""The rows of a room's events, and how rooms are loaded."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson
import structlog
from casino_contracts import TableEvent
from casino_contracts.events.content import hand_number_of
from sqlalchemy import select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.domain.deal_book import halves_of
from casino_lobby.domain.reported_event import (
    RECENT_EVENTS,
    ReportedEvent,
    Writing,
    proved,
)
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_books import pot_of
from casino_lobby.domain.room_fold import EndedHand, Lost, ended_hands, fold
from casino_lobby.errors import UNREADABLE
from casino_lobby.store import schema
from casino_lobby.store.sql_hands import PLAYERS_APART
from casino_lobby.store.statements import DealRow, EventRow, HandRow, Rows
from casino_lobby.store.stored_rows import UnreadableRows, is_whole, read_row

_MAX_BOARD = 16


def rows_of(room: Room, events: Sequence[ReportedEvent], write: Writing = proved) -> Rows:
    """Return the rows of a room's next events; raises CommandRefused if `write` does."""
    room_id, epoch = room.room_id, room.epoch
    event_rows = [
        EventRow(
            room_id,
            epoch,
            event.sequence or 0,
            event.event_type,
            hand_number_of(event),
            write(event),
        )
        for event in events
    ]
    return Rows(
        event_rows,
        [_hand_row(room, hand) for hand in ended_hands(room, events)],
        [
            DealRow(room_id, *half[:-1], orjson.dumps(half.content))
            for half in halves_of(room, events)
        ],
    )


def _hand_row(room: Room, hand: EndedHand) -> HandRow:
    return HandRow(
        room.room_id,
        room.epoch,
        hand.number,
        hand.first_sequence,
        hand.sequence,
        " ".join(card.text for card in hand.content.community_cards[:_MAX_BOARD]),
        pot_of(hand.content.pot_amounts, room.unit),
        hand.highlight.score,
        " ".join(hand.highlight.kinds),
        PLAYERS_APART.join(hand.highlight.players),
    )


_EVENT = (
    schema.event.c.room_id,
    schema.event.c.epoch,
    schema.event.c.sequence,
    schema.event.c.content,
)

logger = structlog.get_logger(__name__)


class StoredRooms(NamedTuple):
    """The rooms of a database, the oldest first, and the ids of unreadable ones.

    `owners` has the member of a group that owns each room, by id, `saved` the hash of its content.
    """

    rooms: list[Room]
    lost_ids: frozenset[str]
    lost_table_ids: frozenset[str]
    owners: dict[str, int | None]
    saved: dict[str, int]


async def load_rooms(connection: AsyncConnection, unreadable: UnreadableRows) -> StoredRooms:
    """Load every room that is not archived."""
    loaded, lost, owners, saved = [], [], {}, {}
    room = schema.room
    stored = await connection.execute(
        select(room.c.room_id, room.c.table_id, room.c.content, room.c.owner)
        .where(room.c.archived_at.is_(None))
        .order_by(room.c.position)
    )
    for row in stored:
        owners[row.room_id], saved[row.room_id] = row.owner, _hash(row.content)
        stored_room = saved_room(row, unreadable)
        if stored_room is None:
            lost.append(row)
            continue
        await apply_recorded(connection, stored_room, unreadable)
        loaded.append(stored_room)
    ids = frozenset(row.room_id for row in lost)
    return StoredRooms(loaded, ids, frozenset(row.table_id for row in lost), owners, saved)


def _hash(content: Any) -> int:
    """Return the hash of a room's stored state, as of the bytes that a group reads."""
    return hash(content.encode(errors="surrogateescape") if isinstance(content, str) else content)


async def apply_recorded(
    connection: AsyncConnection, room: Room, unreadable: UnreadableRows, upto: int | None = None
) -> None:
    """Bring a room up to date that was just read; `upto` is the newest cursor that counts."""
    await _load_recent(connection, room, unreadable, upto)
    fold(room, await unapplied(connection, room, unreadable, upto))


def saved_room(row: Any, unreadable: UnreadableRows, archived_at: str | None = None) -> Room | None:
    """Return the room of a row of `room` as it was saved; None if it is unreadable."""
    try:
        room = Room.from_json(json.loads(row.content), archived_at)
        if (room.room_id, room.table_id) != (row.room_id, row.table_id):
            raise ValueError("it is the content of another room")
    except UNREADABLE as error:
        unreadable.note("room", str(row.room_id), error)
        return None
    return room


async def _load_recent(
    connection: AsyncConnection, room: Room, unreadable: UnreadableRows, upto: int | None
) -> None:
    """Load the newest events that a room has already applied into `room.recent`."""
    folded = tuple_(schema.event.c.epoch, schema.event.c.sequence) <= tuple_(
        room.epoch, room.last_sequence
    )
    newest = (
        select(*_EVENT)
        .where(schema.event.c.room_id == room.room_id, folded)
        .order_by(schema.event.c.epoch.desc(), schema.event.c.sequence.desc())
        .limit(RECENT_EVENTS)
    )
    if upto is not None:
        newest = newest.where(schema.event.c.cursor <= upto)
    events = [read_row(row, unreadable) for row in await connection.execute(newest)]
    room.recent.extend(event for event in reversed(events) if event is not None)


async def unapplied(
    connection: AsyncConnection, room: Room, unreadable: UnreadableRows, upto: int | None = None
) -> list[TableEvent | Lost]:
    """Return the events of the current epoch that a room has not applied, up to a cursor."""
    newer = (
        select(*_EVENT)
        .where(
            schema.event.c.room_id == room.room_id,
            schema.event.c.epoch == room.epoch,
            schema.event.c.sequence > room.last_sequence,
        )
        .order_by(schema.event.c.sequence)
    )
    if upto is not None:
        newer = newer.where(schema.event.c.cursor <= upto)
    events: list[TableEvent | Lost] = []
    for row in await connection.execute(newer):
        event = read_row(row, unreadable)
        if event is not None:
            events.append(event)
        elif is_whole(row.sequence):
            events.append(Lost(row.sequence))
    return events
