"""Validate a `configureTable` request and create its table and first events."""

from casino_agentkit import CommandRefused, Violation
from casino_contracts import HOLDEM, ConfigureTableInput
from casino_games import (
    ArenaConfig,
    ArenaPlayer,
    Game,
    GameError,
    config_class,
    create_game,
    game_class,
    specification,
)
from pydantic import BaseModel, ValidationError

from casino_table.domain.table import Table
from casino_table.journal.journal import TableFact
from casino_table.presenters.status import status

_TABLE_SETTINGS = {"stacks", "button"}
"""Settings of a game that the table sets itself."""


def opening(request: ConfigureTableInput, table: Table) -> list[TableFact]:
    """Return the first facts of a configured table, a cancelled hand included."""
    facts = [status(table, "configured", f"table {table.table_id} is ready")]
    number = request.continuation and request.continuation.cancelled_hand
    if number:
        message = f"hand {number} was cancelled"
        facts.append(
            status(
                table,
                "hand_cancelled",
                message,
                hand_number=number,
                reason="the table was replaced",
            )
        )
    return facts


def is_same(current: ConfigureTableInput, request: ConfigureTableInput) -> bool:
    """Return whether a request asks for the current configuration."""
    names = ("table_id", "casino_name", "config", "game_type", "game_config")
    return (
        (current.epoch or 1) == (request.epoch or 1)
        and current.casino_callback.secret == request.casino_callback.secret
        and all(getattr(current, name) == getattr(request, name) for name in names)
    )


def table_of(request: ConfigureTableInput) -> Table:
    """Return the table that a request configures.

    Raises CommandRefused: UNKNOWN_GAME, INVALID_GAME_CONFIG, INVALID_SEATS, INVALID_AMOUNT.
    """
    try:
        game = game_class(request.game_type)
        if request.game_type != HOLDEM:
            specification(request.game_type)  # players need a specification that can be read
        settings = config_class(request.game_type)
    except GameError as error:
        raise CommandRefused(
            "UNKNOWN_GAME", f"{error}.", (Violation("gameType", str(error)),)
        ) from error
    _check_settings(request, settings)
    _check_playable(request)
    table = Table(
        table_id=request.table_id,
        casino_name=request.casino_name,
        config=request.config,
        epoch=request.epoch or 1,
        game_type=request.game_type,
        game_config=request.game_config,
        min_players=game.min_players,
        chips_needed=game.chips_needed(request.game_config),
    )
    _check_rules(table, game)
    table.go_on(request.seats or (), request.continuation)
    return table


def _check_settings(request: ConfigureTableInput, settings: type[BaseModel]) -> None:
    """Refuse invalid settings of a game, and those that the table sets itself."""
    reserved = (
        set(request.game_config)
        if request.game_type == HOLDEM
        else _TABLE_SETTINGS & set(request.game_config)
    )
    faults = [
        Violation(f"gameConfig.{name}", "is set by the table from config; remove it")
        for name in sorted(reserved)
    ]
    if not faults:
        try:
            if request.game_type != HOLDEM:
                settings.model_validate(request.game_config)
        except ValidationError as error:
            faults = [
                Violation(".".join(map(str, ("gameConfig", *fault["loc"]))), fault["msg"])
                for fault in error.errors(include_url=False, include_input=False)
            ]
    if faults:
        reasons = "; ".join(f"{fault.field} {fault.message}" for fault in faults[:3])
        raise CommandRefused(
            "INVALID_GAME_CONFIG",
            f"Invalid gameConfig for {request.game_type}: {reasons}.",
            tuple(faults),
        )


def _check_playable(request: ConfigureTableInput) -> None:
    """Refuse settings with which a full table cannot create the game."""
    if request.game_type == HOLDEM:
        return
    seats = min(request.config.max_seats, game_class(request.game_type).max_players)
    players = tuple(ArenaPlayer(f"player {number}") for number in range(seats))
    try:
        create_game(request.game_type, ArenaConfig(players, game_config=request.game_config))
    except GameError as error:
        raise CommandRefused(
            "INVALID_GAME_CONFIG",
            f"Invalid gameConfig for {request.game_type}: {error}.",
            (Violation("gameConfig", str(error)),),
        ) from error


def _check_rules(table: Table, game: type[Game]) -> None:
    """Refuse rules of the room with which the game cannot be played."""
    config, smallest = table.config, table.unit.amount(table.chips_needed)
    if config.max_seats > game.max_players:
        field, rule = "maxSeats", f"at most {game.max_players} can play {table.game_type}"
    elif config.min_buy_in < smallest:
        field, rule = "minBuyIn", f"a hand of {table.game_type} needs {smallest} chips"
    else:
        return
    raise CommandRefused("INVALID_GAME_CONFIG", f"{field}: {rule}.", (Violation(field, rule),))
