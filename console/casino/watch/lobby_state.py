"""All rooms of a lobby as a spectator sees them: a pure fold of its stream."""

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
_COMES = {"player_registered"}
_GOES = {"player_busted", "left"}


@dataclass(frozen=True)
class LobbyPicture:
    """The rooms at one moment, in the order of their names; every change makes a new picture."""

    rooms: Mapping[str, RoomSummary] = field(default_factory=dict)
    hands_seen: int = 0

    @classmethod
    def of(
        cls, snapshot: LobbyStreamSnapshot, known: "LobbyPicture | None" = None
    ) -> "LobbyPicture":
        """Return the picture that a snapshot gives, after what was `known`."""
        rooms = {room.room_id: room for room in snapshot.rooms}
        return cls(rooms, known.hands_seen if known else 0)

    @property
    def in_order(self) -> list[RoomSummary]:
        """The rooms by their ids."""
        return [self.rooms[room_id] for room_id in sorted(self.rooms)]

    def with_room(self, room: RoomSummary) -> "LobbyPicture":
        """Return the picture with a room as it stands now: opened, or closed."""
        return replace(self, rooms={**self.rooms, room.room_id: room})

    def after(self, streamed: StreamedEvent) -> "LobbyPicture":
        """Return the picture after one more event of any room."""
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
    players = room.player_count + (kind in _COMES) - (kind in _GOES)
    return room.model_copy(
        update={
            "message": event.message,
            "status": status,
            "state": state,
            "hand_count": room.hand_count + (event.event_type == "hand_completed"),
            "player_count": max(0, players),
        }
    )
