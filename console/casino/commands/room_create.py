"""`casino room create`: the rules of a room as options."""

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
    desk_of,
    url,
    wrong_option,
)
from casino.commands.rooms import write_room
from casino.rules import house_rules

_DURATION: TypeAdapter[timedelta] = TypeAdapter(Duration)
_OPTIONS = {
    "room_id": "ROOM",
    "starting_stack": "--stack",
    "small_blind": "--small-blind",
    "big_blind": "--big-blind",
    "min_buy_in": "--min-buy-in",
    "max_buy_in": "--max-buy-in",
    "action_timeout_ms": "--timeout",
    "ante": "--ante",
    "seed": "--seed",
    "request_id": "--request-id",
}


class Rebuy(StrEnum):
    """What a player does who has lost the last chip."""

    NONE = "none"
    AUTO = "auto"


def _milliseconds(text: str) -> int:
    try:
        return round(_DURATION.validate_python(text) / timedelta(milliseconds=1))
    except ValidationError as error:
        told = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise typer.BadParameter(told, param_hint="--timeout") from error


def _object(text: str | None) -> dict[str, Any]:
    try:
        data = json.loads(text or "{}")
    except ValueError as error:
        raise typer.BadParameter(f"is no JSON: {error}", param_hint="--game-config") from error
    if not isinstance(data, dict):
        raise typer.BadParameter("must be a JSON object", param_hint="--game-config")
    return data


def create(  # noqa: PLR0913, PLR0917  a parameter is an option: all the rules a room has
    context: typer.Context,
    room: Annotated[
        str | None, typer.Argument(metavar="ROOM", help="Its id; else the lobby names it.")
    ] = None,
    seats: Annotated[int, typer.Option(min=2, max=10, help="Seats at the table.")] = 6,
    stack: Annotated[float, typer.Option(help="Chips to sit down with.")] = 200,
    small_blind: Annotated[float, typer.Option(help="The small blind.")] = 1,
    big_blind: Annotated[float, typer.Option(help="The big blind.")] = 2,
    ante: Annotated[float, typer.Option(help="What everybody pays before the blinds.")] = 0,
    min_buy_in: Annotated[
        float | None, typer.Option(help="Least to sit down with; else 20 big blinds.")
    ] = None,
    max_buy_in: Annotated[
        float | None, typer.Option(help="Most to sit down with; else two stacks.")
    ] = None,
    hands: Annotated[int, typer.Option(min=1, help="Hands of a session.")] = 100,
    rebuy: Annotated[
        Rebuy, typer.Option(help="auto: who has lost everything buys a stack again.")
    ] = Rebuy.AUTO,
    timeout: Annotated[
        str, typer.Option(help="The clock of a decision, such as 500ms or 10s.")
    ] = "10s",
    max_timeouts: Annotated[
        int, typer.Option(min=1, help="Failures in a row until a player sits out.")
    ] = 3,
    seed: Annotated[
        str | None, typer.Option(help="Makes the session repeat exactly; else true chance.")
    ] = None,
    table: Annotated[
        str | None, typer.Option(help="Card URL of the table; else the lobby provides one.")
    ] = None,
    table_port: Annotated[
        int | None, typer.Option(min=1, max=65_535, help="Port of a table the lobby launches.")
    ] = None,
    game: Annotated[str, typer.Option(help="The game that is played.")] = HOLDEM,
    game_config: Annotated[
        str | None, typer.Option(help="The game's own settings, a JSON object.")
    ] = None,
    request_id: Annotated[
        str | None, typer.Option(help="The same id again opens no second room.")
    ] = None,
    lobby: LobbyUrl = LOBBY_URL,
    as_json: AsJson = False,
) -> None:
    """Open a room with the rules that the options say."""
    bounds = {"min_buy_in": min_buy_in, "max_buy_in": max_buy_in}
    try:
        config = house_rules(
            hands=hands,
            seats=seats,
            seed=seed,
            stack=stack,
            small_blind=small_blind,
            big_blind=big_blind,
            ante=ante,
            rebuy=rebuy.value,
            action_timeout_ms=_milliseconds(timeout),
            max_timeouts=max_timeouts,
            **{name: amount for name, amount in bounds.items() if amount is not None},
        )
        given = CreateRoomInput(
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
    opened = at_lobby(context, lobby, lambda api: api.create_room(given))
    write_room(desk_of(context).paper(), opened, as_json=as_json)
