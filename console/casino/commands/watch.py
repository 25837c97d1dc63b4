"""`casino watch`: its options."""

from typing import Annotated

import typer

from casino.commands.context import LOBBY_URL, AsJsonLines, LobbyUrl, at_lobby, desk_of
from casino.lobby_api import LobbyApi
from casino.watch.watch import renderer_for
from casino.watch.watch import watch as follow_along


def watch(
    context: typer.Context,
    room: Annotated[
        str | None, typer.Argument(metavar="ROOM", help="The room; else all rooms.")
    ] = None,
    hands: Annotated[int | None, typer.Option(min=1, help="End after so many hands.")] = None,
    lobby: LobbyUrl = LOBBY_URL,
    as_json: AsJsonLines = False,
) -> None:
    """Watch a room live, or all of them, until it is closed or Ctrl-C."""
    paper = desk_of(context).paper()

    async def work(api: LobbyApi) -> None:
        with renderer_for(paper, room, as_json=as_json) as face:
            await follow_along(api, room, face, hands)

    at_lobby(context, lobby, work)
