"""Server-sent events as bytes."""

from casino_contracts import (
    Lagged,
    LobbyStreamSnapshot,
    RoomStreamSnapshot,
    StreamedEvent,
    StreamedRoom,
    WireModel,
)

from casino_lobby.rooms import Room, public
from casino_lobby.store import Committed


def frame(name: str, data: WireModel, cursor: int | None = None) -> bytes:
    """Return one event; JSON has no line breaks of its own, so its data is one line."""
    id_line = b"" if cursor is None else b"id: %d\n" % cursor
    return b"%sevent: %s\ndata: %s\n\n" % (id_line, name.encode(), data.wire())


def table_event(committed: Committed) -> bytes:
    """Return a fact as the public sees it."""
    cursor, room_id, event = committed
    told = StreamedEvent(cursor=cursor, room_id=room_id, event=public(event))
    return frame("table_event", told, cursor)


def room_snapshot(room: Room, cursor: int) -> bytes:
    """Return a room as it stands."""
    snapshot = RoomStreamSnapshot(cursor=cursor, room=room.snapshot())
    return frame("snapshot", snapshot, cursor)


def lobby_snapshot(rooms: list[Room], cursor: int) -> bytes:
    """Return all rooms as they stand."""
    summaries = tuple(room.summary() for room in rooms)
    return frame("snapshot", LobbyStreamSnapshot(cursor=cursor, rooms=summaries), cursor)


def room_opened(room: Room) -> bytes:
    """Return that there is a room."""
    return frame("room_opened", StreamedRoom(room=room.summary()))


def room_closed(room: Room) -> bytes:
    """Return that a room plays no more."""
    return frame("room_closed", StreamedRoom(room=room.summary()))


def lagged(cursor: int) -> bytes:
    """Return that its reader is let go."""
    message = f"You were too far behind; connect again with Last-Event-ID {cursor} to go on."
    return frame("lagged", Lagged(cursor=cursor, message=message))
