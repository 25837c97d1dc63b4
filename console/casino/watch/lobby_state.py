"""State of all rooms, projected from the lobby's public stream."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from casino_contracts import LobbyStreamSnapshot, RoomSummary, StreamedEvent
from casino_contracts.events.content import (
    EventContent,
    HandCompleted,
    HandStarted,
    PlayerBusted,
    PlayerRegistered,
    StatusChanged,
    TableFailed,
    content_of,
)


@dataclass(frozen=True)
class LobbyState:
    """Immutable state of all rooms; every change returns a new one."""

    rooms: Mapping[str, RoomSummary] = field(default_factory=dict)
    hands_seen: int = 0

    @classmethod
    def of(
        cls, snapshot: LobbyStreamSnapshot, previous: "LobbyState | None" = None
    ) -> "LobbyState":
        """Return the state of a snapshot; keeps the number of hands of a `previous` state."""
        rooms = {room.room_id: room for room in snapshot.rooms}
        return cls(rooms, previous.hands_seen if previous else 0)

    @property
    def in_order(self) -> list[RoomSummary]:
        """The rooms in the order of their ids."""
        return [self.rooms[room_id] for room_id in sorted(self.rooms)]

    def with_room(self, room: RoomSummary) -> "LobbyState":
        """Return the state with an added or replaced room."""
        return replace(self, rooms={**self.rooms, room.room_id: room})

    def after(self, streamed: StreamedEvent) -> "LobbyState":
        """Return the state after another event of any room."""
        content = content_of(streamed.event)
        is_hand = isinstance(content, HandCompleted)
        lobby = replace(self, hands_seen=self.hands_seen + is_hand)
        room = self.rooms.get(streamed.room_id)
        if room is None:
            return lobby
        room = room.model_copy(
            update={
                "message": streamed.event.message,
                "hand_count": room.hand_count + is_hand,
                "player_count": max(0, room.player_count + _arrivals(content)),
                **_status(room, content),
            }
        )
        return lobby.with_room(room)


def _arrivals(content: EventContent | None) -> int:
    """Return how many players an event adds to a room; negative where one leaves."""
    match content:
        case PlayerRegistered():
            return 1
        case PlayerBusted() | StatusChanged(kind="left"):
            return -1
    return 0


def _status(room: RoomSummary, content: EventContent | None) -> dict[str, str | None]:
    match content:
        case HandStarted():
            return {"status": "running", "state": None}
        case StatusChanged(kind="paused", status=status):
            return {"status": status or room.status, "state": "paused"}
        case StatusChanged(kind="started" | "finished", status=status):
            return {"status": status or room.status, "state": None}
        case StatusChanged(status=status) | TableFailed(status=status):
            return {"status": status or room.status}
    return {}
