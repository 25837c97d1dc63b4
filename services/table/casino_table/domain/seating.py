"""Choose the seat of a player who registers. Pure."""

from casino_agentkit import CommandRefused, Violation
from casino_contracts import Reason, SeatPlayerInput

from casino_table.domain.seat import Seat
from casino_table.domain.stakes import chips_of
from casino_table.domain.table import Table


def seat_for(table: Table, player: SeatPlayerInput) -> tuple[Seat, bool]:
    """Return the seat that a player would take, or has, and whether it is new.

    Changes nothing. Raises CommandRefused: PLAYER_ID_TAKEN, BUY_IN_OUT_OF_RANGE,
    INVALID_AMOUNT, TABLE_FULL.
    """
    for seat in table.seats.values():
        if seat.player_id == player.player_id:
            if seat.card_url == player.agent_card_url:
                return seat, False
            raise CommandRefused(
                Reason.PLAYER_ID_TAKEN,
                f"{player.player_id} is seated with another agent card; use another playerId.",
            )
    stack = _buy_in(table, player.starting_stack)
    number = _free_seat(table, player.preferred_seat)
    seat = Seat(
        number,
        player.player_id,
        player.display_name,
        player.agent_card_url,
        player.action_skill,
        stack,
        plays_any_game=bool(player.plays_any_game),
        token=player.seat_token,
        clock_ms=table.config.granted_clock_ms(player.clock_ms),
        player_type=player.player_type,
    )
    return seat, True


def _buy_in(table: Table, amount: float) -> int:
    config = table.config
    if not config.min_buy_in <= amount <= config.max_buy_in:
        raise CommandRefused(
            Reason.BUY_IN_OUT_OF_RANGE,
            f"The buy-in {amount} must lie between {config.min_buy_in} and {config.max_buy_in}.",
            (Violation("startingStack", f"{config.min_buy_in} to {config.max_buy_in}"),),
        )
    return chips_of(table.unit, "startingStack", amount)


def _free_seat(table: Table, preferred: int | None) -> int:
    free = [number for number in range(table.config.max_seats) if number not in table.seats]
    if not free:
        raise CommandRefused(Reason.TABLE_FULL, f"All {table.config.max_seats} seats are taken.")
    return preferred if preferred in free else free[0]
