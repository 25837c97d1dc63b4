"""Serialises server-sent events, and publishes those of the bus to the streams."""

from collections.abc import Iterable

import orjson
from casino_contracts import (
    HandRecord,
    HandRecordMissing,
    Lagged,
    LobbyStreamSnapshot,
    RoomSnapshot,
    RoomStreamSnapshot,
    StreamedRoom,
    WireModel,
)

from casino_lobby.domain.lobby_events import Committed, EventsCommitted, EventsMissed, RoomChanged
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_views import public_json, room_summary
from casino_lobby.streaming.broadcaster import LOBBY, Broadcaster, Item


def table_event(committed: Committed) -> Item:
    """Without hidden cards."""
    cursor, room_id, event = committed
    data = b'{"cursor":%d,"roomId":%b,"event":%b}' % (
        cursor,
        orjson.dumps(room_id),
        public_json(event),
    )
    return Item(_frame("table_event", data, cursor), cursor, event)


def room_snapshot(room: RoomSnapshot, cursor: int) -> Item:
    snapshot = RoomStreamSnapshot(cursor=cursor, room=room)
    return Item(_frame("snapshot", snapshot, cursor), cursor)


def lobby_snapshot(rooms: Iterable[Room], cursor: int) -> Item:
    summaries = tuple(room_summary(room) for room in rooms)
    snapshot = LobbyStreamSnapshot(cursor=cursor, rooms=summaries)
    return Item(_frame("snapshot", snapshot, cursor), cursor)


def room_opened(room: Room) -> Item:
    return Item(_frame("room_opened", StreamedRoom(room=room_summary(room))))


def room_closed(room: Room) -> Item:
    return Item(_frame("room_closed", StreamedRoom(room=room_summary(room))))


def hand_record(record: HandRecord) -> Item:
    return Item(_frame("hand_record", record))


def hand_record_missing(hand_id: str, reason: str) -> Item:
    return Item(_frame("hand_record_missing", HandRecordMissing(hand_id=hand_id, reason=reason)))


def lagged(cursor: int) -> Item:
    """Make the last frame before the client is disconnected."""
    message = f"The client is too far behind; reconnect with Last-Event-ID {cursor} to resume."
    return Item(_frame("lagged", Lagged(cursor=cursor, message=message)))


def _frame(name: str, data: WireModel | bytes, cursor: int | None = None) -> bytes:
    """Return one frame; compact JSON has no line breaks, so `data` is one line."""
    id_line = b"" if cursor is None else b"id: %d\n" % cursor
    content = data if isinstance(data, bytes) else data.wire()
    return b"%sevent: %s\ndata: %s\n\n" % (id_line, name.encode(), content)


class EventBroadcaster:
    """Passes lobby events on to the streams."""

    def __init__(self, feed: Broadcaster) -> None:
        self._feed = feed

    def publish_events(self, event: EventsCommitted) -> None:
        """Publish committed events of a room to its topic and to the lobby."""
        room_id = event.room.room_id
        if self._feed.is_followed(room_id, LOBBY):
            for row in event.committed:
                self._feed.publish(table_event(row), room_id, LOBBY)

    def miss_events(self, _event: EventsMissed) -> None:
        """End every stream: its client has to begin again, because it would have a gap."""
        self._feed.lag_all()

    def publish_room(self, event: RoomChanged) -> None:
        """Publish that a room opened or closed; ends its topic unless it is open."""
        room = event.room
        if room.phase == "open":
            self._feed.publish(room_opened(room), LOBBY)
        elif room.is_over:
            self._feed.publish(room_closed(room), room.room_id, LOBBY)
        if room.phase != "open":
            self._feed.end(room.room_id)
