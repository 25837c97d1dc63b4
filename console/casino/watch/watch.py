"""Watch a room or the whole lobby: read the event stream and render it."""

from contextlib import AbstractContextManager

from casino_contracts import StreamedEvent
from casino_lobby_client.stream import Interruption, follow

from casino.lobby_api import LobbyApi
from casino.output import Output
from casino.watch.renderers import (
    JsonRenderer,
    LinesRenderer,
    LobbyRenderer,
    Renderer,
    TableRenderer,
)


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
