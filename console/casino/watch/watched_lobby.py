"""All rooms of a lobby, folded from its public stream, and drawn for a terminal."""

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
from rich.console import Group, RenderableType
from rich.table import Table

from casino.output import counted, plain, status_word


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


_OVER = {"closing", "closed", "failed"}


def lobby_view(lobby: LobbyState, note: str = "") -> RenderableType:
    """Return the table of rooms as a rich renderable, with `note` below."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", expand=True)
    table.add_column("room", no_wrap=True, overflow="ellipsis", max_width=24)
    table.add_column("state", no_wrap=True)
    table.add_column("hands", justify="right", no_wrap=True)
    table.add_column("players", justify="right", no_wrap=True)
    table.add_column("last", no_wrap=True, overflow="ellipsis", ratio=1)
    for room in lobby.in_order:
        state = status_word(room.status, room.state)
        table.add_row(
            plain(room.room_id),
            plain(state),
            str(room.hand_count),
            str(room.player_count),
            plain(room.message or ""),
            style="dim" if state in _OVER else "",
        )
    heading = f"{counted(len(lobby.rooms), 'room')} · {counted(lobby.hands_seen, 'hand')} seen"
    lines: list[RenderableType] = [plain(heading, "bold"), table]
    if note:
        lines.append(plain(note, "bold yellow"))
    return Group(*lines)
