"""State of all rooms, projected from the lobby's public stream."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import get_args

from casino_contracts import (
    LobbyStreamSnapshot,
    RoomSummary,
    StreamedEvent,
    TableEvent,
    TableStatus,
)

_STATUSES: dict[str, TableStatus] = {status: status for status in get_args(TableStatus)}
_ARRIVALS = {"player_registered"}
_DEPARTURES = {"player_busted", "left"}


@dataclass(frozen=True)
class LobbyPicture:
    """Immutable state of all rooms; every change returns a new one."""

    rooms: Mapping[str, RoomSummary] = field(default_factory=dict)
    hands_seen: int = 0

    @classmethod
    def of(
        cls, snapshot: LobbyStreamSnapshot, previous: "LobbyPicture | None" = None
    ) -> "LobbyPicture":
        """Return the state of a snapshot; keeps the number of hands of a `previous` state."""
        rooms = {room.room_id: room for room in snapshot.rooms}
        return cls(rooms, previous.hands_seen if previous else 0)

    @property
    def in_order(self) -> list[RoomSummary]:
        """The rooms in the order of their ids."""
        return [self.rooms[room_id] for room_id in sorted(self.rooms)]

    def with_room(self, room: RoomSummary) -> "LobbyPicture":
        """Return the state with an added or replaced room."""
        return replace(self, rooms={**self.rooms, room.room_id: room})

    def after(self, streamed: StreamedEvent) -> "LobbyPicture":
        """Return the state after another event of any room."""
        event = streamed.event
        is_hand = event.event_type == "hand_completed"
        picture = replace(self, hands_seen=self.hands_seen + is_hand)
        room = self.rooms.get(streamed.room_id)
        return picture.with_room(_after(room, event)) if room else picture


def _after(room: RoomSummary, event: TableEvent) -> RoomSummary:
    payload = event.payload or {}
    kind = str(payload.get("kind", event.event_type))
    status = _STATUSES.get(str(payload.get("status")), room.status)
    state = room.state
    if event.event_type == "hand_started":
        status, state = "running", None
    elif event.event_type == "table_status" and kind in {"paused", "started", "finished"}:
        state = "paused" if kind == "paused" else None
    players = room.player_count + (kind in _ARRIVALS) - (kind in _DEPARTURES)
    return room.model_copy(
        update={
            "message": event.message,
            "status": status,
            "state": state,
            "hand_count": room.hand_count + (event.event_type == "hand_completed"),
            "player_count": max(0, players),
        }
    )
