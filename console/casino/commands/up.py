"""Commands `casino up` (start a casino) and `casino deal` (keep a room playing)."""

import asyncio
import io
import json
import os
import secrets
import shlex
import sys
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from subprocess import run
from typing import Annotated, Any, Final

import typer
from casino_agentkit import InvalidSecret, InvalidSettings, PortTaken
from casino_contracts import HOLDEM, PlayerCount
from pydantic import ValidationError

from casino.commands.context import AsJsonLines, url, wrong_option
from casino.commands.room_options import (
    OPTIONS,
    RoomOptions,
    Seed,
    duration,
    with_rules,
)
from casino.errors import RunNotSaved
from casino.operator_key import FAULTS_KEY, LOBBY_KEY, OperatorKey
from casino.output import counted
from casino.up.casino_plan import (
    DEFAULT_STYLES,
    SEATS,
    CasinoPlan,
    new_seed,
    objection_to_tables,
)
from casino.up.casino_ports import LAST_BASE, CasinoPorts
from casino.up.casino_run import Up
from casino.up.run_report import Report
from casino.up.service_processes import TABLE_MODULE
from casino.up.up_players import SABOTEURS, STYLES
from casino.up.up_room import SavedRun

_SET_HERE: Final = {
    "CASINO_PLAYER_LOBBY_URL": None,
    "CASINO_PLAYER_COUNT": "--players",
    "CASINO_TABLE_LOBBY_URL": None,
    "CASINO_TABLE_COUNT": "--tables",
    "CASINO_TABLE_PORT": "--tables-port",
    "CASINO_GATEWAY_LOBBY_URL": None,
    "CASINO_EVALUATOR_LOBBY_URL": None,
}
"""Variables of services that this command sets itself, and the options to use in their place."""
_HANDS: Final = 50
_NO_PLAYERS = "none"
_MOST_TABLES = 500


def _port(*names: str, of: str, **options: Any) -> Any:
    return typer.Option(*names, min=0, max=65_535, help=f"Of {of}; 0: a free one.", **options)


@with_rules
def up(  # noqa: PLR0913, PLR0917  the options of a command
    hands: Annotated[
        int | None,
        typer.Option(
            min=1,
            help=f"Number of hands to play. Default: {_HANDS}; then sample players alone, without"
            " --exit, play on in the room live, at a pace for people.",
        ),
    ] = None,
    players: Annotated[
        str | None,
        typer.Option(
            help=f"Example players, of {', '.join(STYLES)}, or `none`. Default:"
            f" {','.join(DEFAULT_STYLES)}; in games other than Hold'em up to three `generic`"
            f" players. Saboteurs, which lose their turns by a fault: {', '.join(SABOTEURS)}."
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
    tables: Annotated[
        int,
        typer.Option(
            min=1,
            max=_MOST_TABLES,
            help="Rooms, each with its own table and sample players: main, main-2, and so on; each"
            " plays --hands. Bots of --seat sit in main only.",
        ),
    ] = 1,
    table_processes: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Processes that share the tables, at most one for each. Default: one for each"
            " core.",
        ),
    ] = None,
    seed: Seed = None,
    exit_: Annotated[bool, typer.Option("--exit", help="Exit when the hands are played.")] = False,
    as_json: AsJsonLines = False,
    port_base: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=LAST_BASE,
            help="The lobby's port N, from which others follow: gateway N+50, evaluator N+60,"
            " players N+101 and up, tables N+500 and up; 0: free ports for all. Default: 4000,"
            " where a free port replaces one that is taken.",
        ),
    ] = None,
    port: Annotated[
        int | None, _port("--port", "--lobby-port", envvar="CASINO_LOBBY_PORT", of="the lobby")
    ] = None,
    gateway_port: Annotated[
        int | None, _port("--gateway-port", envvar="CASINO_GATEWAY_PORT", of="the gateway")
    ] = None,
    evaluator_port: Annotated[
        int | None,
        _port(
            "--evaluator-port",
            envvar="CASINO_EVALUATOR_PORT",
            of="the evaluator; the next one is that of its tables",
        ),
    ] = None,
    players_port: Annotated[
        int | None,
        _port("--players-port", envvar="CASINO_PLAYER_PORT", of="the first sample player"),
    ] = None,
    tables_port: Annotated[int | None, _port("--tables-port", of="the first table")] = None,
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
    start_timeout: Annotated[
        str,
        typer.Option(
            help="How long each process may take to be ready: more on a slow machine, such as 60s."
        ),
    ] = "20s",
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Keep events, results, seed, versions and rules in this new directory.",
        ),
    ] = None,
    *,
    rules: RoomOptions,
) -> None:
    """Start a casino on this machine and play: lobby, table and players, each in a process."""
    plan = CasinoPlan(
        hands or _HANDS,
        _styles(players, game),
        tuple(map(_seat, seat or ())),
        seed or new_seed(),
        exit_,
        CasinoPorts(port_base, port, gateway_port, evaluator_port, players_port, tables_port),
        game,
        has_gateway=not (exit_ or no_gateway),
        has_evaluator=evaluator,
        rules=rules.chosen(),
        ready_within=duration(start_timeout, "--start-timeout"),
        tables=tables,
        table_processes=table_processes,
        goes_on=not (hands or exit_ or seat or "llm" in (players or "")),
    )
    if players == _NO_PLAYERS:
        plan = replace(plan, has_no_examples=True)
    check_variables(os.environ)
    if game != HOLDEM:
        plan = plan.for_player_count(_players_of(game))
    _check(plan)
    if objection := objection_to_tables(plan, is_saved=save is not None):
        raise typer.BadParameter(objection.message, param_hint=objection.option)
    try:
        key = OperatorKey.from_environment(os.environ, LOBBY_KEY)
        own = OperatorKey.from_environment(os.environ, FAULTS_KEY)
        saved = _saved(plan, save)
    except InvalidSecret as error:
        raise typer.BadParameter(str(error)) from error
    faults_key = OperatorKey(FAULTS_KEY, own.value or secrets.token_urlsafe(32))
    report = Report(as_json=as_json)
    raise typer.Exit(asyncio.run(Up(plan, report, key, faults_key, saved).run()))


def _styles(players: str | None, game: str) -> tuple[str, ...]:
    """Return the example players of `--players`; raises BadParameter."""
    if players is None:
        players = ",".join(DEFAULT_STYLES) if game == HOLDEM else ""
    if players == _NO_PLAYERS:
        return ()
    styles = tuple(style.strip() for style in players.split(",") if style.strip())
    for style in styles:
        if style not in {*STYLES, *SABOTEURS}:
            styles_named = ", ".join((*STYLES, *SABOTEURS))
            raise typer.BadParameter(
                f"{style} is not one of {styles_named}, nor `none`", param_hint="--players"
            )
    return styles


def _players_of(game: str) -> PlayerCount:
    """Ask the tables of this machine how many play a game; raises BadParameter for an unknown."""
    card = (sys.executable, "-m", TABLE_MODULE, "--card")
    asked = run(card, capture_output=True, check=False)  # noqa: S603  a fixed program, no shell
    if asked.returncode:
        raise typer.BadParameter(f"no table starts: {asked.stderr.decode(errors='replace')}")
    (extension, *_) = json.loads(asked.stdout)["capabilities"]["extensions"]
    games = {one["gameType"]: one["players"] for one in extension["params"]["games"]}
    if game not in games:
        close = get_close_matches(game, games, n=1)
        hint = f" (did you mean {close[0]}?)" if close else ""
        known = f"nobody here plays {game}{hint}; there are {', '.join(games)}"
        raise typer.BadParameter(known, param_hint="--game")
    return PlayerCount.model_validate(games[game])


def _check(plan: CasinoPlan) -> None:
    """Raise BadParameter if the rules do not fit together, or the players the seats."""
    number = plan.player_count
    if (plan.game_type == HOLDEM or plan.has_no_examples) and number not in SEATS:
        hint = (
            "name your bots with --seat, one option for each"
            if plan.has_no_examples
            else "each --seat replaces an example: name more of these, or --players none"
        )
        raise typer.BadParameter(
            f"{counted(number, 'player')}; a table seats 2 to 10: {hint}", param_hint="--players"
        )
    try:
        config = plan.config()
    except ValidationError as error:
        raise wrong_option(error, OPTIONS) from error
    if config.max_seats < number:
        raise typer.BadParameter(
            f"{config.max_seats} seats are too few for {counted(number, 'player')}",
            param_hint="--seats",
        )


def check_variables(environment: Mapping[str, str]) -> None:
    """Raise BadParameter for a variable that this command would replace."""
    for name in filter(environment.get, _SET_HERE):
        option = _SET_HERE[name]
        instead = f"use {option}" if option else "its services know the lobby"
        raise typer.BadParameter(f"{name} has no effect here: unset it; {instead}")


def _saved(plan: CasinoPlan, directory: Path | None) -> SavedRun | None:
    if directory is None:
        return None
    try:
        return SavedRun(
            directory,
            {
                "command": f"casino {shlex.join(sys.argv[1:])}",
                "seed": plan.seed,
                "gameType": plan.game_type,
                "examplePlayers": list(plan.example_styles),
                "hands": plan.hands,
            },
        )
    except RunNotSaved as error:
        typer.echo(f"casino up: {error}", err=True)
        raise typer.Exit(1) from error


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
    # Imported lazily: only this command serves something itself.
    from casino_agentkit import configure_logs, serve  # noqa: PLC0415
    from casino_contracts.base import SECRET_FIELDS  # noqa: PLC0415

    from casino.up.dealer import DealerSettings, build_app  # noqa: PLC0415

    try:
        settings = DealerSettings.load(lobby_url=lobby_url, port=port)
        configure_logs(
            "dealer",
            level=settings.log_level,
            secret_keys=(*SECRET_FIELDS, "operatorToken"),
            stream=_Lines(sys.stdout.buffer, line_buffering=True) if as_json else None,
        )
        serve(
            lambda _url: build_app(settings),
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
