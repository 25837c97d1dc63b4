"""Command `casino room create`: open a room with rules from options."""

import json
from datetime import timedelta
from enum import StrEnum
from typing import Annotated, Any

import typer
from casino_agentkit import Duration
from casino_contracts import HOLDEM, CreateRoomInput, LaunchOptions
from pydantic import TypeAdapter, ValidationError

from casino.commands.context import (
    LOBBY_URL,
    AsJson,
    LobbyUrl,
    at_lobby,
    context_of,
    message_of,
    url,
    wrong_option,
)
from casino.commands.rooms import write_room
from casino.rules import room_config

_DURATION: TypeAdapter[timedelta] = TypeAdapter(Duration)
_OPTIONS = {
    "room_id": "ROOM",
    "starting_stack": "--stack",
    "small_blind": "--small-blind",
    "big_blind": "--big-blind",
    "min_buy_in": "--min-buy-in",
    "max_buy_in": "--max-buy-in",
    "action_timeout_ms": "--timeout",
    "max_action_timeout_ms": "--max-timeout",
    "time_bank_ms": "--time-bank",
    "pace_ms": "--pace",
    "ante": "--ante",
    "seed": "--seed",
    "request_id": "--request-id",
}


class Rebuy(StrEnum):
    """Whether a player without chips buys a new stack."""

    NONE = "none"
    AUTO = "auto"


def _milliseconds(text: str, option: str) -> int:
    try:
        return round(_DURATION.validate_python(text) / timedelta(milliseconds=1))
    except ValidationError as error:
        raise typer.BadParameter(message_of(error), param_hint=option) from error


def _object(text: str | None) -> dict[str, Any]:
    try:
        data = json.loads(text or "{}")
    except ValueError as error:
        raise typer.BadParameter(
            f"is not valid JSON: {error}", param_hint="--game-config"
        ) from error
    if not isinstance(data, dict):
        raise typer.BadParameter("must be a JSON object", param_hint="--game-config")
    return data


def create(  # noqa: PLR0913, PLR0917  each parameter is an option
    context: typer.Context,
    room: Annotated[
        str | None,
        typer.Argument(metavar="ROOM", help="The room's id. Default: chosen by the lobby."),
    ] = None,
    seats: Annotated[int, typer.Option(min=2, max=10, help="Number of seats.")] = 6,
    stack: Annotated[float, typer.Option(help="The starting stack, in chips.")] = 200,
    small_blind: Annotated[float, typer.Option(help="The small blind.")] = 1,
    big_blind: Annotated[float, typer.Option(help="The big blind.")] = 2,
    ante: Annotated[float, typer.Option(help="The ante of each player.")] = 0,
    min_buy_in: Annotated[
        float | None, typer.Option(help="The minimum buy-in. Default: 20 big blinds.")
    ] = None,
    max_buy_in: Annotated[
        float | None, typer.Option(help="The maximum buy-in. Default: two stacks.")
    ] = None,
    hands: Annotated[int, typer.Option(min=1, help="Hands per session.")] = 100,
    rebuy: Annotated[
        Rebuy, typer.Option(help="auto: players without chips buy a new stack.")
    ] = Rebuy.AUTO,
    timeout: Annotated[
        str, typer.Option(help="Time limit of a decision, such as 500ms or 10s.")
    ] = "10s",
    max_timeout: Annotated[
        str | None,
        typer.Option(help="Longest time limit that a player may ask for. Default: --timeout."),
    ] = None,
    time_bank: Annotated[
        str | None,
        typer.Option(help="More time of each player in a session, such as 60s. Default: none."),
    ] = None,
    pace: Annotated[
        str | None,
        typer.Option(help="Least time between decisions, such as 800ms. Default: none."),
    ] = None,
    max_timeouts: Annotated[
        int, typer.Option(min=1, help="Consecutive failures after which a player sits out.")
    ] = 3,
    seed: Annotated[
        str | None, typer.Option(help="Makes the session reproducible. Default: random.")
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(help="Agent card URL of the table. Default: the lobby provides a table."),
    ] = None,
    table_port: Annotated[
        int | None, typer.Option(min=1, max=65_535, help="Port of a table that the lobby launches.")
    ] = None,
    game: Annotated[str, typer.Option(help="The game type.")] = HOLDEM,
    game_config: Annotated[
        str | None, typer.Option(help="The game's settings, as a JSON object.")
    ] = None,
    request_id: Annotated[
        str | None, typer.Option(help="Idempotency key: a repeated id opens no second room.")
    ] = None,
    lobby: LobbyUrl = LOBBY_URL,
    as_json: AsJson = False,
) -> None:
    """Open a room with the rules set by the options."""
    bounds = {"min_buy_in": min_buy_in, "max_buy_in": max_buy_in}
    times = {"max_action_timeout_ms": max_timeout, "time_bank_ms": time_bank, "pace_ms": pace}
    try:
        config = room_config(
            hands=hands,
            seats=seats,
            seed=seed,
            stack=stack,
            small_blind=small_blind,
            big_blind=big_blind,
            ante=ante,
            rebuy=rebuy.value,
            action_timeout_ms=_milliseconds(timeout, "--timeout"),
            max_timeouts=max_timeouts,
            **{name: amount for name, amount in bounds.items() if amount is not None},
            **{
                name: _milliseconds(text, _OPTIONS[name])
                for name, text in times.items()
                if text is not None
            },
        )
        request = CreateRoomInput(
            room_id=room,
            table_agent_card_url=None if table is None else url(table),
            config=config,
            launch_options=None if table_port is None else LaunchOptions(port=table_port),
            game_type=game,
            game_config=_object(game_config),
            request_id=request_id,
        )
    except ValidationError as error:
        raise wrong_option(error, _OPTIONS) from error
    opened = at_lobby(context, lobby, lambda api: api.create_room(request))
    write_room(context_of(context).output(), opened, as_json=as_json)
