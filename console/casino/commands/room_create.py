"""Command `casino room create`: open a room with rules from options."""

import json
from dataclasses import replace
from typing import Annotated, Any

import typer
from casino_contracts import HOLDEM, CreateRoomInput, LaunchOptions, RoomSnapshot
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
from casino.commands.room_commands import write_room
from casino.commands.room_options import (
    OPTIONS,
    RoomOptions,
    Seed,
    with_rules,
)
from casino.lobby_api import LobbyApi
from casino.up.casino_plan import room_config, rules_over

_ANY_HANDS, _ANY_SEATS = 1, 2
"""For a check of the options before the lobby's defaults are known."""


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


@with_rules
def create(  # noqa: PLR0913, PLR0917  each parameter is an option
    context: typer.Context,
    rules: RoomOptions,
    room: Annotated[
        str | None,
        typer.Argument(metavar="ROOM", help="The room's id. Default: chosen by the lobby."),
    ] = None,
    hands: Annotated[int | None, typer.Option(min=1, help="Hands per session.")] = None,
    seed: Seed = None,
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
    """Open a room; a rule that no option sets is the lobby's default."""
    chosen = replace(rules, hands=hands, seed=seed).chosen()
    try:
        request = CreateRoomInput(
            room_id=room,
            table_agent_card_url=None if table is None else url(table),
            config=rules_over(room_config(hands=_ANY_HANDS, seats=_ANY_SEATS, seed=None), chosen),
            launch_options=None if table_port is None else LaunchOptions(port=table_port),
            game_type=game,
            game_config=_object(game_config),
            request_id=request_id,
        )
        opened = at_lobby(context, lobby, lambda api: _open(api, request, chosen))
    except ValidationError as error:
        raise wrong_option(error, OPTIONS) from error
    write_room(context_of(context).output(), opened, as_json=as_json)


async def _open(api: LobbyApi, request: CreateRoomInput, chosen: dict[str, object]) -> RoomSnapshot:
    """Open the room with the lobby's defaults, changed by the chosen rules; raises CallFailed."""
    config = rules_over((await api.info()).default_config, chosen)
    return await api.create_room(request.model_copy(update={"config": config}))
