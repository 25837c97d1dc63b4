"""Server-sent events as bytes."""

from collections.abc import Iterable

from casino_contracts import (
    HandRecord,
    HandRecordMissing,
    Lagged,
    LobbyStreamSnapshot,
    RoomSnapshot,
    RoomStreamSnapshot,
    StreamedEvent,
    StreamedRoom,
    WireModel,
)

from casino_lobby.domain.room import Room, public
from casino_lobby.store import Committed
from casino_lobby.streaming.broadcaster import Item


def table_event(committed: Committed) -> Item:
    """Return a fact as the public sees it."""
    cursor, room_id, event = committed
    told = StreamedEvent(cursor=cursor, room_id=room_id, event=public(event))
    return Item(_frame("table_event", told, cursor), cursor, event)


def room_snapshot(room: RoomSnapshot, cursor: int) -> Item:
    """Return a room as it stands."""
    snapshot = RoomStreamSnapshot(cursor=cursor, room=room)
    return Item(_frame("snapshot", snapshot, cursor), cursor)


def lobby_snapshot(rooms: Iterable[Room], cursor: int) -> Item:
    """Return all rooms as they stand."""
    summaries = tuple(room.summary() for room in rooms)
    snapshot = LobbyStreamSnapshot(cursor=cursor, rooms=summaries)
    return Item(_frame("snapshot", snapshot, cursor), cursor)


def room_opened(room: Room) -> Item:
    """Return that there is a room."""
    return Item(_frame("room_opened", StreamedRoom(room=room.summary())))


def room_closed(room: Room) -> Item:
    """Return that a room plays no more."""
    return Item(_frame("room_closed", StreamedRoom(room=room.summary())))


def hand_record(record: HandRecord) -> Item:
    """Return everything of a completed hand."""
    return Item(_frame("hand_record", record))


def hand_record_missing(hand_id: str, reason: str) -> Item:
    """Return that there is no record of a hand."""
    return Item(_frame("hand_record_missing", HandRecordMissing(hand_id=hand_id, reason=reason)))


def lagged(cursor: int) -> Item:
    """Return that its reader is let go."""
    message = f"You were too far behind; connect again with Last-Event-ID {cursor} to go on."
    return Item(_frame("lagged", Lagged(cursor=cursor, message=message)))


def _frame(name: str, data: WireModel, cursor: int | None = None) -> bytes:
    """Return one event; JSON has no line breaks of its own, so its data is one line."""
    id_line = b"" if cursor is None else b"id: %d\n" % cursor
    return b"%sevent: %s\ndata: %s\n\n" % (id_line, name.encode(), data.wire())
