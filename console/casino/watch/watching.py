"""Watch a room or the whole lobby: its stream, drawn live, as lines, or as JSON."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from casino_contracts import (
    LobbyStreamSnapshot,
    RoomStreamSnapshot,
    RoomSummary,
    StreamedEvent,
    StreamedRoom,
    StreamedWaits,
    Waiting,
    WireModel,
)
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
from casino_contracts.foreign_text import json_of
from casino_lobby_client.lobby_stream import Interruption, ServerSentEvent, follow
from rich.console import Group, RenderableType
from rich.live import Live
from rich.table import Table
from typing_extensions import override

from casino.lobby_api import ENDING, LobbyApi
from casino.output import (
    Output,
    chips,
    cost_cells,
    cost_columns,
    counted,
    plain,
    signed,
    status_word,
    wait_lines,
)
from casino.watch.table_drawing import TableDrawing
from casino.watch.watched_table import WatchedTable


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
        return [self.rooms[room_id] for room_id in sorted(self.rooms)]

    def with_room(self, room: RoomSummary) -> "LobbyState":
        return replace(self, rooms={**self.rooms, room.room_id: room})

    def after(self, streamed: StreamedEvent) -> "LobbyState":
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


def lobby_view(lobby: LobbyState, note: str = "") -> RenderableType:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", expand=True)
    table.add_column("room", no_wrap=True, overflow="ellipsis", max_width=24)
    table.add_column("state", no_wrap=True)
    table.add_column("hands", justify="right", no_wrap=True)
    table.add_column("players", justify="right", no_wrap=True)
    table.add_column("last", no_wrap=True, overflow="ellipsis", ratio=1)
    for room in lobby.in_order:
        state = status_word(room.status, room.state, room.waits)
        table.add_row(
            plain(room.room_id),
            plain(state),
            str(room.hand_count),
            str(room.player_count),
            plain(room.message or ""),
            style="dim" if state in ENDING else "",
        )
    heading = f"{counted(len(lobby.rooms), 'room')} · {counted(lobby.hands_seen, 'hand')} seen"
    lines: list[RenderableType] = [plain(heading, "bold"), table]
    if note:
        lines.append(plain(note, "bold yellow"))
    return Group(*lines)


_REFRESHES_PER_SECOND = 8  # a fast table plays hundreds of hands per second
_NOTE = "bold yellow"


class Renderer(ABC):
    """Shows the events of a stream, within its context."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:  # noqa: B027  most have nothing to end
        pass

    @abstractmethod
    def on_event(self, event: ServerSentEvent, message: WireModel | None) -> None:
        """Show an event; `message` is its parsed form, None if its type is unknown."""

    @abstractmethod
    def on_interruption(self, interruption: Interruption) -> None:
        """Show that the stream was interrupted and when it reconnects."""


def _text_of(interruption: Interruption) -> str:
    return f"{interruption.why}; again in {interruption.wait.total_seconds():g} s"


class JsonRenderer(Renderer):
    """Writes each event unchanged as one JSON object per line."""

    def __init__(self, output: Output) -> None:
        self._output = output

    def on_event(self, event: ServerSentEvent, _message: WireModel | None) -> None:
        """Write the event, also if its type is unknown."""
        try:
            data = json_of(event.data)
        except ValueError:
            data = event.data
        self._output.json({"event": event.name, "id": event.last_id or None, "data": data})

    def on_interruption(self, interruption: Interruption) -> None:
        self._output.json({"event": "note", "text": _text_of(interruption)})


class LinesRenderer(Renderer):
    """Writes a line per event, and a room's results at the end."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._table: WatchedTable | None = None

    @override
    def __exit__(self, *_: object) -> None:
        if self._table is None or not self._table.hands:
            return
        self._output.line(f"{counted(self._table.hands, 'hand')} seen")
        rows = [(seat.name, chips(seat.stack), signed(seat.won)) for seat in self._table.everybody]
        self._output.table(("player", "stack ", "won "), rows)
        seats = ((seat.name, self._table.costs_of(seat)) for seat in self._table.everybody)
        if costs := [cost_cells(name, costs) for name, costs in seats if costs]:
            self._output.table(cost_columns("chips" if self._table.game else "bb"), costs)

    def on_event(self, _event: ServerSentEvent, message: WireModel | None) -> None:
        match message:
            case RoomStreamSnapshot():
                self._table = WatchedTable.of(message.room, self._table)
                self._output.line(
                    f"{message.room.room_id}  {self._table.word},"
                    f" {counted(len(self._table.seats), 'player')}"
                )
                self._waits(message.room.room_id, self._table.waits)
            case LobbyStreamSnapshot():
                for room in message.rooms:
                    self._room(room)
            case StreamedRoom():
                self._room(message.room)
                self._waits(message.room.room_id, message.room.waits)
            case StreamedWaits():
                self._waits(message.room_id, message.waits, over="it goes on")
            case StreamedEvent():
                for line in self._lines(message):
                    self._output.line(f"{message.room_id}  {line}")

    def _room(self, room: RoomSummary) -> None:
        text = ", ".join(
            (
                status_word(room.status, room.state, room.waits),
                counted(room.hand_count, "hand"),
                counted(room.player_count, "player"),
            )
        )
        self._output.line(f"{room.room_id}  {text}")

    def _waits(self, room_id: str, waits: Sequence[Waiting] | None, *, over: str = "") -> None:
        for line in wait_lines(waits) or ([over] if over else []):
            self._output.line(f"{room_id}  {line}")

    def _lines(self, streamed: StreamedEvent) -> tuple[str, ...]:
        if self._table is not None:
            self._table = self._table.after(streamed.event)
            return self._table.news
        return (streamed.event.message,)

    def on_interruption(self, interruption: Interruption) -> None:
        self._output.line(_text_of(interruption))


class _LiveRenderer(Renderer):
    """Redraws a view periodically; the last one stays on the terminal."""

    def __init__(self, output: Output, clock: Callable[[], float] = time.monotonic) -> None:
        self._note = "waiting for the lobby …"
        self._clock = clock
        self._live = Live(
            console=output.console,
            get_renderable=self.drawing,
            refresh_per_second=_REFRESHES_PER_SECOND,
            vertical_overflow="crop",
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    @override
    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def drawing(self) -> RenderableType:
        """Return the current view; called from rich's refresh thread."""
        return plain(self._note, _NOTE)

    def on_event(self, _event: ServerSentEvent, message: WireModel | None) -> None:
        self._note = ""
        self.fold(message)

    def fold(self, message: WireModel | None) -> None:
        """Update the state."""

    def on_interruption(self, interruption: Interruption) -> None:
        """Show the interruption below the view until the next event."""
        self._note = _text_of(interruption)


class TableRenderer(_LiveRenderer):
    """Draws one table."""

    _table: WatchedTable | None = None
    _turn: tuple[str | None, tuple[str, ...], float] = (None, (), 0.0)
    """Who is to act, after which lines, and since when."""

    def fold(self, message: WireModel | None) -> None:
        self._fold(message)
        actor = self._table.to_act if self._table else None
        lines = self._table.lines if self._table else ()
        turn = (actor.player_id if actor else None, lines)
        if turn != self._turn[:2]:
            self._turn = (*turn, self._clock())

    def _fold(self, message: WireModel | None) -> None:
        match message:
            case RoomStreamSnapshot():
                self._table = WatchedTable.of(message.room, self._table)
            case StreamedEvent() if self._table is not None:
                self._table = self._table.after(message.event)
            case StreamedRoom() if self._table is not None:
                self._table = self._table.closed(message.room)
            case StreamedWaits() if self._table is not None:
                self._table = replace(self._table, waits=message.waits)

    def drawing(self) -> RenderableType:
        if self._table is None:
            return super().drawing()
        player_id, _, since = self._turn
        thinking_s = None if player_id is None else int(self._clock() - since)
        return TableDrawing(self._table, self._note, thinking_s)


class LobbyRenderer(_LiveRenderer):
    """Draws all rooms."""

    _lobby: LobbyState | None = None

    def fold(self, message: WireModel | None) -> None:
        match message:
            case LobbyStreamSnapshot():
                self._lobby = LobbyState.of(message, self._lobby)
            case StreamedEvent() if self._lobby is not None:
                self._lobby = self._lobby.after(message)
            case StreamedRoom() if self._lobby is not None:
                self._lobby = self._lobby.with_room(message.room)

    def drawing(self) -> RenderableType:
        return lobby_view(self._lobby, self._note) if self._lobby else super().drawing()


def renderer_for(output: Output, room_id: str | None, *, as_json: bool) -> Renderer:
    if as_json:
        return JsonRenderer(output)
    if not output.console.is_terminal:
        return LinesRenderer(output)
    return LobbyRenderer(output) if room_id is None else TableRenderer(output)


async def watch(
    api: LobbyApi, room_id: str | None, renderer: Renderer, hands: int | None = None
) -> None:
    """Render events until the room closes or `hands` are completed. Raises CallFailed."""
    completed = 0
    async for item in follow(api, room_id):
        if isinstance(item, Interruption):
            renderer.on_interruption(item)
            continue
        event, message = item
        renderer.on_event(event, message)
        if isinstance(message, StreamedEvent):
            completed += message.event.event_type == "hand_completed"
            if completed == hands:
                return
