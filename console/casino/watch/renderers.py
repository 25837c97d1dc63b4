"""The faces of `casino watch`: what is watched, drawn live, told in lines, or passed on as JSON."""

import json
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Protocol, Self

from casino_contracts import (
    LobbyStreamSnapshot,
    RoomStreamSnapshot,
    RoomSummary,
    StreamedEvent,
    StreamedRoom,
    WireModel,
)
from rich.console import RenderableType
from rich.live import Live

from casino.formatting import chips, counted, plain, signed
from casino.output import Output
from casino.sse import ServerSentEvent
from casino.watch.follow import Interruption
from casino.watch.lobby_state import LobbyPicture
from casino.watch.lobby_view import lobby_view
from casino.watch.table_state import TablePicture
from casino.watch.table_view import TableView

_PER_SECOND = 8  # pictures: eyes want no more, and a fast table plays hundreds of hands
_NOTE = "bold yellow"


class Renderer(Protocol):
    """Shows what is watched."""

    def happened(self, event: ServerSentEvent, message: WireModel | None) -> None:
        """Show one event more; `message` is what it says, None where that is unknown here."""

    def interrupted(self, interruption: Interruption) -> None:
        """Say that the stream broke off, and when it is tried again."""


def _told(interruption: Interruption) -> str:
    return f"{interruption.why}; again in {interruption.wait.total_seconds():g} s"


class JsonFace(AbstractContextManager["JsonFace"]):
    """One JSON object per line, each an event as it came."""

    def __init__(self, paper: Output) -> None:
        self._paper = paper

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """Nothing is open."""

    def happened(self, event: ServerSentEvent, _message: WireModel | None) -> None:
        """Pass it on, what is unknown here too."""
        try:
            data = json.loads(event.data)
        except ValueError:
            data = event.data
        self._paper.json({"event": event.name, "id": event.last_id or None, "data": data})

    def interrupted(self, interruption: Interruption) -> None:
        """Say so in a line of its own."""
        self._paper.json({"event": "note", "text": _told(interruption)})


class LinesFace(AbstractContextManager["LinesFace"]):
    """A line per event, for pipes and logs; a room's results at the end."""

    def __init__(self, paper: Output) -> None:
        self._paper = paper
        self._picture: TablePicture | None = None

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """Tell the results, also when it was interrupted."""
        if self._picture is None or not self._picture.hands_seen:
            return
        self._paper.line(f"{counted(self._picture.hands_seen, 'hand')} seen")
        rows = [(seat.name, chips(seat.stack), signed(seat.won)) for seat in self._picture.in_order]
        self._paper.table(("player", "stack ", "won "), rows)

    def happened(self, _event: ServerSentEvent, message: WireModel | None) -> None:
        """Tell it."""
        match message:
            case RoomStreamSnapshot():
                self._picture = TablePicture.of(message.room, self._picture)
                self._paper.line(
                    f"{message.room.room_id}  {self._picture.state or self._picture.status},"
                    f" {counted(len(self._picture.seats), 'player')}"
                )
            case LobbyStreamSnapshot():
                for room in message.rooms:
                    self._room(room)
            case StreamedRoom():
                self._room(message.room)
            case StreamedEvent():
                for line in self._lines(message):
                    self._paper.line(f"{message.room_id}  {line}")

    def _room(self, room: RoomSummary) -> None:
        told = ", ".join(
            (
                room.state or room.status,
                counted(room.hand_count, "hand"),
                counted(room.player_count, "player"),
            )
        )
        self._paper.line(f"{room.room_id}  {told}")

    def _lines(self, streamed: StreamedEvent) -> tuple[str, ...]:
        if self._picture is not None:
            self._picture = self._picture.after(streamed.event)
            return self._picture.news
        return (streamed.event.message,)

    def interrupted(self, interruption: Interruption) -> None:
        """Say so."""
        self._paper.line(_told(interruption))


class _Drawn(AbstractContextManager["_Drawn"]):
    """A picture that is drawn again and again; the last one stays on the terminal."""

    def __init__(self, paper: Output) -> None:
        self._note = "waiting for the lobby …"
        self._live = Live(
            console=paper.console,
            get_renderable=self.drawing,
            refresh_per_second=_PER_SECOND,
            vertical_overflow="crop",
        )

    def __enter__(self) -> Self:
        """Begin to draw."""
        self._live.start()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """Draw for the last time, and give the cursor back."""
        self._live.stop()

    def drawing(self) -> RenderableType:
        """Return the picture of this moment; called from rich's own thread."""
        return plain(self._note, _NOTE)

    def happened(self, _event: ServerSentEvent, message: WireModel | None) -> None:
        """Fold it in."""
        self._note = ""
        self.fold(message)

    def fold(self, message: WireModel | None) -> None:
        """Change the picture."""

    def interrupted(self, interruption: Interruption) -> None:
        """Say so below the picture, until the stream goes on."""
        self._note = _told(interruption)


class TableFace(_Drawn):
    """One table."""

    _picture: TablePicture | None = None

    def fold(self, message: WireModel | None) -> None:
        """Change the table."""
        match message:
            case RoomStreamSnapshot():
                self._picture = TablePicture.of(message.room, self._picture)
            case StreamedEvent() if self._picture is not None:
                self._picture = self._picture.after(message.event)
            case StreamedRoom() if self._picture is not None:
                self._picture = self._picture.closed(message.room)

    def drawing(self) -> RenderableType:
        """Return the table."""
        return TableView(self._picture, self._note) if self._picture else super().drawing()


class LobbyFace(_Drawn):
    """All rooms."""

    _picture: LobbyPicture | None = None

    def fold(self, message: WireModel | None) -> None:
        """Change the rooms."""
        match message:
            case LobbyStreamSnapshot():
                self._picture = LobbyPicture.of(message, self._picture)
            case StreamedEvent() if self._picture is not None:
                self._picture = self._picture.after(message)
            case StreamedRoom() if self._picture is not None:
                self._picture = self._picture.with_room(message.room)

    def drawing(self) -> RenderableType:
        """Return the rooms."""
        return lobby_view(self._picture, self._note) if self._picture else super().drawing()
