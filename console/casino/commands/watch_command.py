"""Command `casino watch`: watch a room or all rooms live."""

from typing import Annotated

import typer

from casino.commands.context import LOBBY_URL, AsJsonLines, LobbyUrl, at_lobby, context_of
from casino.lobby_api import LobbyApi
from casino.watch.watching import renderer_for
from casino.watch.watching import watch as follow_along


def watch(
    context: typer.Context,
    room: Annotated[
        str | None, typer.Argument(metavar="ROOM", help="The room's id. Default: all rooms.")
    ] = None,
    hands: Annotated[int | None, typer.Option(min=1, help="Stop after this many hands.")] = None,
    lobby: LobbyUrl = LOBBY_URL,
    as_json: AsJsonLines = False,
) -> None:
    """Watch a room, or all rooms, live until the room is closed or Ctrl-C."""
    output = context_of(context).output()

    async def work(api: LobbyApi) -> None:
        with renderer_for(output, room, as_json=as_json) as renderer:
            await follow_along(api, room, renderer, hands)

    at_lobby(context, lobby, work)
