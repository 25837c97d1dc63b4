"""Commands `casino up` (start a casino) and `casino deal` (keep a room playing)."""

import asyncio
import io
import os
import secrets
import sys
from typing import Annotated

import typer
from casino_agentkit import InvalidSecret, InvalidSettings, PortTaken, configure_logs, serve
from casino_contracts import HOLDEM
from casino_contracts.base import SECRET_FIELDS

from casino.commands.context import AsJsonLines, url
from casino.operator_key import FAULTS_KEY, LOBBY_KEY, OperatorKey
from casino.up.deal import DealerSettings
from casino.up.deal import build_app as build_dealer
from casino.up.plan import DEFAULT_STYLES, LOBBY_PORT, Plan
from casino.up.report import Report
from casino.up.up import Up

STYLES = ("caller", "equity", "generic", "llm", "maniac", "random", "tight")
SABOTEURS = ("disconnecting", "garbage", "illegal", "slow")
"""Styles of example players with a fault, to see a bot play beside them."""
_SEATS = range(2, 11)


def up(  # noqa: PLR0913, PLR0917  the options of a command
    hands: Annotated[int, typer.Option(min=1, help="Number of hands to play.")] = 50,
    players: Annotated[
        str | None,
        typer.Option(
            help=f"Example players, of {', '.join(STYLES)}. Default: {','.join(DEFAULT_STYLES)};"
            " in games other than Hold'em up to three `generic` players. Saboteurs, which lose"
            f" their turns by a fault: {', '.join(SABOTEURS)}."
        ),
    ] = None,
    game: Annotated[
        str, typer.Option(help="The game type, one of those at the lobby's /api/games.")
    ] = HOLDEM,
    seat: Annotated[
        list[str] | None,
        typer.Option(
            help="Agent card URL of your bot, which replaces an example player. Repeatable."
        ),
    ] = None,
    seed: Annotated[
        str | None, typer.Option(help="Makes the session reproducible. Default: random.")
    ] = None,
    exit_: Annotated[bool, typer.Option("--exit", help="Exit when the hands are played.")] = False,
    as_json: AsJsonLines = False,
    port: Annotated[
        int, typer.Option(min=0, max=65_535, help="The lobby's port; a free one if 0 or taken.")
    ] = LOBBY_PORT,
    no_gateway: Annotated[
        bool,
        typer.Option(
            "--no-gateway",
            help="Start no gateway, at which people and other protocols sit down; with --exit there"
            " is none.",
        ),
    ] = False,
    evaluator: Annotated[
        bool, typer.Option("--evaluator", help="Start an evaluator, which examines agents.")
    ] = False,
    pace: Annotated[
        int,
        typer.Option(
            min=0,
            max=60_000,
            help="Least time between two decisions, in ms, so that people can follow.",
        ),
    ] = 0,
) -> None:
    """Start a casino on this machine and play: lobby, table and players, each in a process."""
    if players is None:
        players = ",".join(DEFAULT_STYLES) if game == HOLDEM else ""
    styles = tuple(style.strip() for style in players.split(",") if style.strip())
    for style in styles:
        if style not in {*STYLES, *SABOTEURS}:
            raise typer.BadParameter(
                f"{style} is not one of {', '.join((*STYLES, *SABOTEURS))}", param_hint="--players"
            )
    own_bots = tuple(map(_seat, seat or ()))
    has_gateway = not (exit_ or no_gateway)
    plan = Plan(hands, styles, own_bots, seed, exit_, port, game, has_gateway, pace, evaluator)
    seats = len(plan.example_styles) + len(own_bots)
    if game == HOLDEM and seats not in _SEATS:
        raise typer.BadParameter(f"{seats} players; a table seats 2 to 10", param_hint="--players")
    try:
        key = OperatorKey.from_environment(os.environ, LOBBY_KEY)
        own = OperatorKey.from_environment(os.environ, FAULTS_KEY)
    except InvalidSecret as error:
        raise typer.BadParameter(str(error)) from error
    faults_key = OperatorKey(FAULTS_KEY, own.value or secrets.token_urlsafe(32))
    report = Report(as_json=as_json)
    raise typer.Exit(asyncio.run(Up(plan, report, key, faults_key).run()))


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
        int | None, typer.Option(min=0, max=65_535, help="Port of the health endpoint.")
    ] = None,
    as_json: AsJsonLines = False,
) -> None:
    """Keep a room playing at a running lobby; settings are read from CASINO_DEALER_…."""
    try:
        settings = DealerSettings.load(lobby_url=lobby_url, port=port)
        configure_logs(
            "dealer",
            level=settings.log_level,
            secret_keys=(*SECRET_FIELDS, "operatorToken"),
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
    """Standard output that is never a terminal, so that logs are written as JSON."""

    def isatty(self) -> bool:
        return False
