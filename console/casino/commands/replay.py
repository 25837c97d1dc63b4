"""Command `casino room replay`: play one hand of the past alone, with other players."""

import asyncio
from collections.abc import Sequence
from typing import Annotated

import typer
from casino_agentkit import ChildFailed
from casino_contracts import HandDetail
from casino_lobby_client.errors import CallFailed
from pydantic import ValidationError

from casino.commands.context import (
    LOBBY_URL,
    AsJson,
    LobbyUrl,
    at_lobby,
    context_of,
    url,
    wrong_option,
)
from casino.commands.room_options import OPTIONS, Stack, hand_of
from casino.hand_history import hand_history
from casino.lobby_api import LobbyApi
from casino.up.casino_ports import KeptPort
from casino.up.hand_replay import PastHand, play_again
from casino.up.run_report import Report
from casino.up.service_processes import ServiceProcesses
from casino.up.up_players import STYLES, single_players, start_players


def replay(
    context: typer.Context,
    hand: Annotated[
        str, typer.Argument(metavar="ROOM/NUMBER", help="A completed hand, such as main/17.")
    ],
    players: Annotated[
        str,
        typer.Option(
            help=f"Who plays, from the button on: of {', '.join(STYLES)}, and agent card URLs."
        ),
    ],
    seed: Annotated[str, typer.Option(help="The room's seed, as `casino up` prints it.")],
    stack: Stack = None,
    epoch: Annotated[
        int | None, typer.Option(min=1, help="The table's epoch. Default: the newest.")
    ] = None,
    lobby: LobbyUrl = LOBBY_URL,
    as_json: AsJson = False,
) -> None:
    """Play one hand again, with its deck and other players, and show it."""
    room_id, number = hand_of(hand, "ROOM/NUMBER")
    named = [player.strip() for player in players.split(",") if player.strip()]
    for player in named:
        if player not in STYLES:
            _card(player)

    async def play(api: LobbyApi) -> HandDetail:
        room, detail = await api.room(room_id), await api.hand(room_id, number, epoch)
        past = PastHand.of(room, detail, seed, stack)
        past.check(len(named))
        return await _played(api, lobby, room_id, past, named)

    try:
        played = at_lobby(context, lobby, play)
    except ValidationError as error:
        raise wrong_option(error, OPTIONS) from error
    output = context_of(context).output()
    if as_json:
        output.json(played)
    else:
        output.lines(hand_history(played))


def _card(player: str) -> str:
    try:
        return url(player)
    except typer.BadParameter as wrong:
        raise typer.BadParameter(
            f"{player} is neither one of {', '.join(STYLES)} nor a card's URL",
            param_hint="--players",
        ) from wrong


async def _played(
    api: LobbyApi, lobby_url: str, room_id: str, hand: PastHand, named: Sequence[str]
) -> HandDetail:
    """Start the sample players, play, and stop them; raises CallFailed."""
    processes = ServiceProcesses(Report(as_json=False), asyncio.Event())
    try:
        samples = single_players([player for player in named if player in STYLES])
        ports = [KeptPort()] * len(samples)
        started = iter(await start_players(processes, samples, lobby_url, ports, {}))
        cards = [next(started).cards[0] if player in STYLES else player for player in named]
        return await play_again(api, room_id, hand, cards)
    except ChildFailed as failed:
        raise CallFailed(str(failed)) from failed
    finally:
        await processes.stop()
