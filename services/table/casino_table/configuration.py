"""What a lobby's configureTable asks for: which table that is, and what is told of it first."""

from casino_agentkit import Refusal, Violation
from casino_contracts import ConfigureTableInput
from casino_games import GameError, game_class

from casino_table.journal import Fact
from casino_table.status import status
from casino_table.table import Table


def opening(given: ConfigureTableInput, table: Table) -> list[Fact]:
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
    return (known.epoch or 1) == (given.epoch or 1) and all(
        getattr(known, name) == getattr(given, name) for name in names
    )


def table_of(given: ConfigureTableInput) -> Table:
    """Return the table that is asked for.

    Raises Refusal: UNKNOWN_GAME, INVALID_GAME_CONFIG, INVALID_SEATS.
    """
    try:
        min_players = game_class(given.game_type).min_players
    except GameError as error:
        raise Refusal("UNKNOWN_GAME", f"{error}.", (Violation("gameType", str(error)),)) from error
    if given.game_config:
        faults = tuple(
            Violation(f"gameConfig.{name}", "is no setting of this game")
            for name in given.game_config
        )
        raise Refusal(
            "INVALID_GAME_CONFIG", f"{given.game_type} takes its settings from config.", faults
        )
    table = Table(
        table_id=given.table_id,
        casino_name=given.casino_name,
        config=given.config,
        epoch=given.epoch or 1,
        game_type=given.game_type,
        game_config=given.game_config,
        min_players=min_players,
    )
    table.go_on(given.seats or (), given.continuation)
    return table
