"""A room and the projection of its events into rows, and how both are loaded.

A projection keeps the state that the next batch needs; after a restart it is restored from the
database.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import structlog
from casino_contracts import TableEvent, Unit
from casino_contracts.events.content import HandCompleted, HandStarted, content_of, hand_number_of
from sqlalchemy import select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.domain.hand_highlights import HandWatch, Highlight
from casino_lobby.domain.reported_event import (
    RECENT_EVENTS,
    ReportedEvent,
    Writing,
    content_of_event,
    proved,
)
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_books import pot_of
from casino_lobby.domain.room_fold import Lost, fold
from casino_lobby.errors import UNREADABLE
from casino_lobby.store import schema
from casino_lobby.store.sql_hands import PLAYERS_APART
from casino_lobby.store.statements import EventRow, HandRow, Rows
from casino_lobby.store.stored_rows import UnreadableRows, is_whole, read_row

_MAX_BOARD = 16


@dataclass
class RoomProjection:
    """State of one room's projection."""

    room_id: str
    unit: Unit
    hand: tuple[int, int, int] | None = None
    """The newest hand that started: epoch, number, first sequence."""
    watch: HandWatch = field(default_factory=HandWatch)
    """What is known of the running hand, for its score."""

    def copy(self) -> "RoomProjection":
        return replace(self, watch=self.watch.copy())

    def apply(self, epoch: int, events: Sequence[ReportedEvent], write: Writing = proved) -> Rows:
        """Apply numbered events and return their rows; raises CommandRefused if `write` does."""
        rows = Rows()
        for event in events:
            sequence, number = event.sequence or 0, hand_number_of(event)
            rows.events.append(
                EventRow(self.room_id, epoch, sequence, event.event_type, number, write(event))
            )
            if event.event_type == "action_taken":  # most events, and only the event has a row
                self.watch.act(event.payload or {}, epoch, number)
                continue
            content = content_of_event(event)
            highlight = self.watch.add(content, epoch)
            match content:
                case HandStarted() if number is not None:
                    self.hand = (epoch, number, sequence)
                case HandCompleted() if number is not None and highlight is not None:
                    place = (epoch, number, sequence)
                    rows.hands.append(self._hand(place, content, highlight))
        return rows

    def _hand(
        self, place: tuple[int, int, int], content: HandCompleted, highlight: Highlight
    ) -> HandRow:
        epoch, number, sequence = place
        first = self.hand[2] if self.hand and self.hand[:2] == (epoch, number) else None
        board = " ".join(card.text for card in content.community_cards[:_MAX_BOARD])
        pot = pot_of(content.pot_amounts, self.unit)
        return HandRow(
            self.room_id,
            epoch,
            number,
            first,
            sequence,
            board,
            pot,
            highlight.score,
            " ".join(highlight.kinds),
            PLAYERS_APART.join(highlight.players),
        )


_EVENT = (
    schema.event.c.room_id,
    schema.event.c.epoch,
    schema.event.c.sequence,
    schema.event.c.content,
)

MOST_HAND_EVENTS = 5_000
"""How many events of a running hand are read; only a third-party table can exceed it."""

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


async def load_projection(
    connection: AsyncConnection, room: Room, unreadable: UnreadableRows
) -> RoomProjection:
    loaded = RoomProjection(room.room_id, room.unit, await _newest_hand(connection, room))
    if loaded.hand is not None:
        loaded.watch = await _watch(connection, room, loaded.hand[2], unreadable)
    return loaded


async def _newest_hand(connection: AsyncConnection, room: Room) -> tuple[int, int, int] | None:
    """Return the newest hand that started: epoch, number, first sequence."""
    result = await connection.execute(
        select(schema.event.c.epoch, schema.event.c.hand_number, schema.event.c.sequence)
        .where(schema.event.c.room_id == room.room_id, schema.event.c.epoch == room.epoch)
        .where(schema.event.c.event_type == "hand_started", schema.event.c.hand_number.is_not(None))
        .order_by(schema.event.c.sequence.desc())
        .limit(1)
    )
    row = result.one_or_none()
    return (row[0], row[1], row[2]) if row and is_whole(*row) else None


async def _watch(
    connection: AsyncConnection, room: Room, begin: int, unreadable: UnreadableRows
) -> HandWatch:
    """Return what the events of the newest hand say, until its end."""
    watch = HandWatch()
    query = (
        select(*_EVENT)
        .where(schema.event.c.room_id == room.room_id, schema.event.c.epoch == room.epoch)
        .where(schema.event.c.sequence >= begin)
        .order_by(schema.event.c.sequence)
        .limit(MOST_HAND_EVENTS)
    )
    for row in await connection.execute(query):
        event = read_row(row, unreadable)
        if event is not None:
            watch.add(content_of(event), room.epoch)
    return watch
