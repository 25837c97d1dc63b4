"""Validate a `configureTable` request and create, or reset, its table and first events."""

from typing import Any

from casino_agentkit import CommandRefused, Violation
from casino_agentkit.violations import violations_of
from casino_contracts import HOLDEM, ConfigureTableInput, Continuation, Reason
from casino_games import GameError, GameFault, config_class
from casino_games.hosting.game_properties import GameTraits, chips_needed, traits_of
from casino_games.hosting.generated_specification import specification_of
from casino_games.hosting.rehearsal import first_rehearsal, rehearse
from pydantic import ValidationError

from casino_table.domain.seat import roles_in, settings_in
from casino_table.domain.table import Table
from casino_table.journal.journal import EventDraft
from casino_table.play.changes import JournaledTable, PlayerLeaving
from casino_table.play.deal_block import BlockHistory
from casino_table.play.game_presenter import status
from casino_table.play.seat_changes import departures
from casino_table.time_limit import REHEARSAL_LIMIT, TimeLimit

_TABLE_SETTINGS = {"stacks", "button"}
"""Settings of a game that the table sets itself."""


def opening(request: ConfigureTableInput, table: Table) -> list[EventDraft]:
    """Return the first drafts of a configured table, a cancelled hand included."""
    what = "" if table.plays_for_chips else "; it plays for points, which move no chips"
    drafts = [status(table, "configured", f"table {table.table_id} is ready{what}")]
    number = request.continuation and request.continuation.cancelled_hand
    if number:
        message = f"hand {number} was cancelled"
        drafts.append(
            status(
                table,
                "hand_cancelled",
                message,
                hand_number=number,
                reason="the table was replaced",
            )
        )
    return drafts


def is_same(current: ConfigureTableInput, request: ConfigureTableInput) -> bool:
    names = ("table_id", "casino_name", "config", "game_type", "game_config")
    return (
        (current.epoch or 1) == (request.epoch or 1)
        and current.casino_callback.secret == request.casino_callback.secret
        and all(getattr(current, name) == getattr(request, name) for name in names)
    )


def is_reset(current: ConfigureTableInput, request: ConfigureTableInput) -> bool:
    """Return whether a request resets the table, as a lobby does that knows only the document.

    Such a lobby knows no epoch, and it is the one that configured the table: its callback is the
    same.
    """
    additions = (request.epoch, request.seats, request.continuation)
    return request.casino_callback == current.casino_callback and not any(additions)


def reset(
    state: JournaledTable, request: ConfigureTableInput
) -> tuple[JournaledTable, list[EventDraft]]:
    """Return the state after a reset between hands, and its events.

    All seats are given back with their chips. Epoch, sequences and hand numbers go on, so that no
    event and no hand has the number of an earlier one. Raises those of `table_of`.
    """
    configuration = request.model_copy(update={"epoch": state.configuration.epoch})
    table = table_of(configuration)
    table.go_on((), Continuation(hand_number=state.table.hand_number, hand_count=0))
    vacated = state.copy()
    for seat in state.table.seats.values():
        PlayerLeaving(seat.player_id).apply(vacated)
    left = departures(vacated.table)
    vacated.table.check_chips()
    opened = [draft._replace(table_id=table.table_id) for draft in opening(configuration, table)]
    begun = JournaledTable(configuration, table, deal=BlockHistory(state.deal.number))
    return begun, [*left, *opened]


def table_of(request: ConfigureTableInput) -> Table:
    """Raise CommandRefused: UNKNOWN_GAME, INVALID_GAME_CONFIG, INVALID_SEATS, INVALID_AMOUNT."""
    try:
        traits = traits_of(request.game_type)
        if request.game_type != HOLDEM:  # players need a specification that can be read
            specification_of(request.game_type, TimeLimit(total=REHEARSAL_LIMIT))
        settings = settings_in(request.game_type, request.game_config)
    except GameError as error:
        raise CommandRefused(
            Reason.UNKNOWN_GAME, f"{error}.", (Violation("gameType", str(error)),)
        ) from error
    _check_settings(request, settings, traits)
    fewest = _fewest_players(request, settings, traits)
    table = Table(
        table_id=request.table_id,
        casino_name=request.casino_name,
        config=request.config,
        epoch=request.epoch or 1,
        game_type=request.game_type,
        game_config=request.game_config,
        min_players=fewest,
        chips_needed=chips_needed(request.game_type, settings),
        plays_for_chips=traits.plays_for_chips,
    )
    _check_rules(table, traits)
    table.go_on(request.seats or (), request.continuation)
    return table


def _check_settings(
    request: ConfigureTableInput, settings: dict[str, Any], traits: GameTraits
) -> None:
    """Refuse invalid settings of a game, and those that the table sets itself."""
    reserved = set(settings) & _TABLE_SETTINGS if traits.plays_for_chips else set()
    if request.game_type == HOLDEM:
        reserved = set(request.game_config)
    faults = [
        Violation(f"gameConfig.{name}", "is set by the table from config; remove it")
        for name in sorted(reserved)
    ]
    if not faults:
        try:
            if request.game_type != HOLDEM:
                config_class(request.game_type).model_validate(settings)
        except ValidationError as error:
            faults = [*violations_of(error, "gameConfig", at_most=None)]
    if faults:
        reasons = "; ".join(f"{fault.field} {fault.message}" for fault in faults[:3])
        raise CommandRefused(
            Reason.INVALID_GAME_CONFIG,
            f"Invalid gameConfig for {request.game_type}: {reasons}.",
            tuple(faults),
        )


def _fewest_players(
    request: ConfigureTableInput, settings: dict[str, Any], traits: GameTraits
) -> int:
    """Return the smallest number of players that can play; a full table must be able to as well.

    A fault of the game is UNKNOWN_GAME, as for a game that cannot be loaded.
    """
    if request.game_type == HOLDEM:
        return traits.min_players
    full = min(request.config.max_seats, traits.max_players)
    fewest = min(traits.min_players, full)
    numbers = (fewest,) if traits.is_minimum_said else range(fewest, full + 1)
    call = TimeLimit(total=REHEARSAL_LIMIT)
    try:
        seats = [
            role.player(f"player-{number}")
            for number, role in enumerate(roles_in(request.game_type, request.game_config), start=1)
        ]
        rehearse(request.game_type, settings, full, call, seats)
        few = first_rehearsal(request.game_type, settings, numbers, call, seats)
        return max(traits.min_players, len(few.players))
    except GameFault as fault:
        what = f"{request.game_type} cannot be played: {fault}"
        raise CommandRefused(
            Reason.UNKNOWN_GAME, f"{what}.", (Violation("gameType", what),)
        ) from fault
    except GameError as error:
        raise CommandRefused(
            Reason.INVALID_GAME_CONFIG,
            f"Invalid gameConfig for {request.game_type}: {error}.",
            (Violation("gameConfig", str(error)),),
        ) from error


def _check_rules(table: Table, game: GameTraits) -> None:
    """Refuse rules of the room with which the game cannot be played."""
    config, smallest = table.config, table.unit.amount(table.chips_needed)
    if config.max_seats > game.max_players:
        field, rule = "maxSeats", f"at most {game.max_players} can play {table.game_type}"
    elif config.min_buy_in < smallest:
        field, rule = "minBuyIn", f"a hand of {table.game_type} needs {smallest} chips"
    else:
        return
    raise CommandRefused(Reason.INVALID_GAME_CONFIG, f"{field}: {rule}.", (Violation(field, rule),))
