"""`casino up` and `casino deal`: a casino that is started, a room that is kept playing."""

import asyncio
import io
import os
import sys
from typing import Annotated

import typer
from casino_agentkit import InvalidSecret, InvalidSettings, PortTaken, configure_logs, serve
from casino_contracts import HOLDEM

from casino.commands.context import AsJsonLines, url
from casino.operator_key import LOBBY_KEY, OperatorKey
from casino.up.deal import DealerSettings
from casino.up.deal import build_app as build_dealer
from casino.up.report import Report
from casino.up.up import HOUSE_PLAYERS, LOBBY_PORT, Plan, Up

STYLES = ("caller", "equity", "generic", "llm", "maniac", "random", "tight")
_SEATS = range(2, 11)


def up(
    hands: Annotated[int, typer.Option(min=1, help="Hands to play.")] = 50,
    players: Annotated[
        str | None,
        typer.Option(
            help=f"House players, of {', '.join(STYLES)}. Absent: {','.join(HOUSE_PLAYERS)};"
            " in other games than Hold'em `generic` ones, as many as the game takes, up to three."
        ),
    ] = None,
    game: Annotated[
        str, typer.Option(help="What is played, of the types at the lobby's /api/games.")
    ] = HOLDEM,
    seat: Annotated[
        list[str] | None,
        typer.Option(help="Card URL of your bot; it sits in place of a house player. Repeatable."),
    ] = None,
    seed: Annotated[
        str | None, typer.Option(help="Makes the session repeat exactly; else true chance.")
    ] = None,
    exit_: Annotated[bool, typer.Option("--exit", help="End when the hands are played.")] = False,
    as_json: AsJsonLines = False,
    port: Annotated[
        int, typer.Option(min=0, max=65_535, help="The lobby's port; 0 or taken: a free one.")
    ] = LOBBY_PORT,
) -> None:
    """Start a casino on this machine and play: lobby, table and players, each a process."""
    if players is None:
        players = ",".join(HOUSE_PLAYERS) if game == HOLDEM else ""
    styles = tuple(style.strip() for style in players.split(",") if style.strip())
    for style in styles:
        if style not in STYLES:
            raise typer.BadParameter(
                f"{style} is none of {', '.join(STYLES)}", param_hint="--players"
            )
    strangers = tuple(map(_seat, seat or ()))
    plan = Plan(hands, styles, strangers, seed, exit_, port, game)
    seats = len(plan.house_styles) + len(strangers)
    if game == HOLDEM and seats not in _SEATS:
        raise typer.BadParameter(f"{seats} players; a table seats 2 to 10", param_hint="--players")
    try:
        key = OperatorKey.found(os.environ, LOBBY_KEY)
    except InvalidSecret as error:
        raise typer.BadParameter(str(error)) from error
    raise typer.Exit(asyncio.run(Up(plan, Report(as_json=as_json), key).run()))


def _seat(text: str) -> str:
    try:
        return url(text)
    except typer.BadParameter as wrong:
        raise typer.BadParameter(wrong.message, param_hint="--seat") from wrong


def deal(
    lobby_url: Annotated[
        str | None, typer.Option("--lobby", "--lobby-url", help="The lobby's URL.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65_535, help="Where its health is asked.")
    ] = None,
    as_json: AsJsonLines = False,
) -> None:
    """Keep a room playing at a lobby that runs already; settings come from CASINO_DEALER_…."""
    try:
        settings = DealerSettings.load(lobby_url=lobby_url, port=port)
        configure_logs(
            "dealer",
            level=settings.log_level,
            secret_keys=("seed", "authorization", "operatorToken"),
            stream=_Lines(sys.stdout.buffer, line_buffering=True) if as_json else None,
        )
        serve(
            lambda _url: build_dealer(settings),
            host=settings.host,
            port=settings.port,
            public_url=settings.public_url,
        )
    except (InvalidSettings, PortTaken) as error:
        typer.echo(f"casino deal: {error}", err=True)
        raise typer.Exit(1) from error


class _Lines(io.TextIOWrapper):
    """Standard output for programs: logs are JSON where they do not see a terminal."""

    def isatty(self) -> bool:
        return False
