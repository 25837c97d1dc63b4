"""What a lobby's configureTable asks for: which table that is, and what is told of it first."""

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

_OURS = {"stacks", "button"}


def opening(given: ConfigureTableInput, table: Table) -> list[TableFact]:
    """Return what a table says when it is configured: first of all what became of the last hand."""
    facts = [status(table, "configured", f"table {table.table_id} is ready")]
    number = given.continuation and given.continuation.cancelled_hand
    if number:
        told = f"hand {number} was cancelled"
        facts.append(
            status(
                table, "hand_cancelled", told, hand_number=number, reason="the table was replaced"
            )
        )
    return facts


def is_same(known: ConfigureTableInput, given: ConfigureTableInput) -> bool:
    """Tell whether a table is asked for what it is already."""
    names = ("table_id", "casino_name", "config", "game_type", "game_config")
    return (
        (known.epoch or 1) == (given.epoch or 1)
        and known.casino_callback.secret == given.casino_callback.secret
        and all(getattr(known, name) == getattr(given, name) for name in names)
    )


def table_of(given: ConfigureTableInput) -> Table:
    """Return the table that is asked for.

    Raises CommandRefused: UNKNOWN_GAME, INVALID_GAME_CONFIG, INVALID_SEATS, INVALID_AMOUNT.
    """
    try:
        game = game_class(given.game_type)
        if given.game_type != HOLDEM:
            specification(given.game_type)  # whoever plays it has to be able to read it
        settings = config_class(given.game_type)
    except GameError as error:
        raise CommandRefused(
            "UNKNOWN_GAME", f"{error}.", (Violation("gameType", str(error)),)
        ) from error
    _check_settings(given, settings)
    _try(given)
    table = Table(
        table_id=given.table_id,
        casino_name=given.casino_name,
        config=given.config,
        epoch=given.epoch or 1,
        game_type=given.game_type,
        game_config=given.game_config,
        min_players=game.min_players,
        chips_needed=game.chips_needed(given.game_config),
    )
    _check_rules(table, game)
    table.go_on(given.seats or (), given.continuation)
    return table


def _check_settings(given: ConfigureTableInput, settings: type[BaseModel]) -> None:
    """Refuse a game's settings that it does not take; stakes and stacks are the table's."""
    ours = set(given.game_config) if given.game_type == HOLDEM else _OURS & set(given.game_config)
    faults = [
        Violation(f"gameConfig.{name}", "is set by the table, from config") for name in sorted(ours)
    ]
    if not faults:
        try:
            if given.game_type != HOLDEM:
                settings.model_validate(given.game_config)
        except ValidationError as error:
            faults = [
                Violation(".".join(map(str, ("gameConfig", *fault["loc"]))), fault["msg"])
                for fault in error.errors(include_url=False, include_input=False)
            ]
    if faults:
        told = "; ".join(f"{fault.field} {fault.message}" for fault in faults[:3])
        raise CommandRefused(
            "INVALID_GAME_CONFIG", f"{given.game_type} cannot be played so: {told}.", tuple(faults)
        )


def _try(given: ConfigureTableInput) -> None:
    """Refuse settings that cannot be played with every seat taken, before anybody sits down."""
    if given.game_type == HOLDEM:
        return
    seats = min(given.config.max_seats, game_class(given.game_type).max_players)
    players = tuple(ArenaPlayer(f"player {number}") for number in range(seats))
    try:
        create_game(given.game_type, ArenaConfig(players, game_config=given.game_config))
    except GameError as error:
        raise CommandRefused(
            "INVALID_GAME_CONFIG",
            f"{given.game_type} cannot be played so: {error}.",
            (Violation("gameConfig", str(error)),),
        ) from error


def _check_rules(table: Table, game: type[Game]) -> None:
    """Refuse rules of the room with which this game cannot be played."""
    config, smallest = table.config, table.unit.amount(table.chips_needed)
    if config.max_seats > game.max_players:
        field, told = "maxSeats", f"at most {game.max_players} can play {table.game_type}"
    elif config.min_buy_in < smallest:
        field, told = "minBuyIn", f"a hand of {table.game_type} needs {smallest} chips"
    else:
        return
    raise CommandRefused("INVALID_GAME_CONFIG", f"{field}: {told}.", (Violation(field, told),))
