"""`casino watch`: follows a room, or the whole lobby, and shows it to a person or a program."""

from contextlib import AbstractContextManager

from casino_contracts import (
    Lagged,
    LobbyStreamSnapshot,
    RoomStreamSnapshot,
    StreamedEvent,
    StreamedRoom,
    WireModel,
)
from pydantic import ValidationError

from casino.lobby_api import LobbyApi, LobbyError
from casino.output import Output
from casino.sse import ServerSentEvent
from casino.watch.follow import Interruption, follow
from casino.watch.renderers import JsonFace, LinesFace, LobbyFace, Renderer, TableFace

_MESSAGES: dict[str, type[WireModel]] = {
    "table_event": StreamedEvent,
    "room_opened": StreamedRoom,
    "room_closed": StreamedRoom,
    "lagged": Lagged,
}


def renderer_for(
    paper: Output, room_id: str | None, *, as_json: bool
) -> AbstractContextManager[Renderer]:
    """Return how it is shown: drawn on a terminal, in lines to a pipe, as JSON to a program."""
    if as_json:
        return JsonFace(paper)
    if not paper.console.is_terminal:
        return LinesFace(paper)
    return LobbyFace(paper) if room_id is None else TableFace(paper)


async def watch(
    api: LobbyApi, room_id: str | None, face: Renderer, hands: int | None = None
) -> None:
    """Show what happens until the room is closed, or so many hands were completed.

    Raises LobbyError.
    """
    seen = 0
    async for event in follow(api, room_id):
        if isinstance(event, Interruption):
            face.interrupted(event)
            continue
        message = _read(event, room_id)
        face.happened(event, message)
        if isinstance(message, StreamedEvent):
            seen += message.event.event_type == "hand_completed"
            if seen == hands:
                return


def _read(event: ServerSentEvent, room_id: str | None) -> WireModel | None:
    """Return what an event says, None for a kind that is new to this console."""
    kind = _MESSAGES.get(event.name)
    if event.name == "snapshot":
        kind = LobbyStreamSnapshot if room_id is None else RoomStreamSnapshot
    try:
        return kind.model_validate_json(event.data) if kind else None
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, fault["loc"]))
        raise LobbyError(
            f"the stream's {event.name} cannot be read: {where}: {fault['msg']}"
        ) from error
