"""Watch a room or the whole lobby: read the event stream and render it."""

from contextlib import AbstractContextManager

from casino_agentkit.violations import violations_text
from casino_contracts import (
    Lagged,
    LobbyStreamSnapshot,
    RoomStreamSnapshot,
    StreamedEvent,
    StreamedRoom,
    WireModel,
)
from pydantic import ValidationError

from casino.errors import CallFailed
from casino.lobby_api import LobbyApi
from casino.output import Output
from casino.sse import ServerSentEvent
from casino.watch.follow import Interruption, follow
from casino.watch.renderers import (
    JsonRenderer,
    LinesRenderer,
    LobbyRenderer,
    Renderer,
    TableRenderer,
)

_MESSAGES: dict[str, type[WireModel]] = {
    "table_event": StreamedEvent,
    "room_opened": StreamedRoom,
    "room_closed": StreamedRoom,
    "lagged": Lagged,
}


def renderer_for(
    output: Output, room_id: str | None, *, as_json: bool
) -> AbstractContextManager[Renderer]:
    """Return the renderer: JSON if requested, live on a terminal, lines to a pipe."""
    if as_json:
        return JsonRenderer(output)
    if not output.console.is_terminal:
        return LinesRenderer(output)
    return LobbyRenderer(output) if room_id is None else TableRenderer(output)


async def watch(
    api: LobbyApi, room_id: str | None, renderer: Renderer, hands: int | None = None
) -> None:
    """Render events until the room is closed or `hands` hands are completed.

    Raises CallFailed.
    """
    completed = 0
    async for event in follow(api, room_id):
        if isinstance(event, Interruption):
            renderer.on_interruption(event)
            continue
        message = _parse(event, room_id)
        renderer.on_event(event, message)
        if isinstance(message, StreamedEvent):
            completed += message.event.event_type == "hand_completed"
            if completed == hands:
                return


def _parse(event: ServerSentEvent, room_id: str | None) -> WireModel | None:
    """Return the parsed event, or None if its type is unknown. Raises CallFailed."""
    model = _MESSAGES.get(event.name)
    if event.name == "snapshot":
        model = LobbyStreamSnapshot if room_id is None else RoomStreamSnapshot
    try:
        return model.model_validate_json(event.data) if model else None
    except ValidationError as error:
        fault = violations_text(error, "data", at_most=1)
        raise CallFailed(f"the stream's {event.name} cannot be read: {fault}") from error
