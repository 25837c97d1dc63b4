"""Who may sit at a table and where, and how a session may begin. Pure."""

from casino_agentkit import CommandRefused, Violation
from casino_contracts import Reason, SeatPlayerInput, StartGameInput

from casino_table.domain.seat import Seat
from casino_table.domain.table import SessionStart, Stakes, Table, chips_of


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
        profile=player.profile,
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


def session_start(table: Table, overrides: StartGameInput) -> SessionStart:
    """Return the start of a session that a table can play.

    Raises CommandRefused: ALREADY_RUNNING, TABLE_ERROR, NOT_ENOUGH_PLAYERS, INVALID_AMOUNT,
    INVALID_BLINDS.
    """
    if table.status == "running":
        raise CommandRefused(
            Reason.ALREADY_RUNNING, "A session is running; wait until it has finished."
        )
    if table.status == "error":
        raise CommandRefused(Reason.TABLE_ERROR, f"The table has stopped: {table.message}")
    ready = len(table.seats) if table.rebuys else len(table.with_chips())
    if ready < table.min_players:
        raise CommandRefused(
            Reason.NOT_ENOUGH_PLAYERS,
            f"{table.min_players} players with chips are needed, {ready} are here.",
        )
    small_blind = chips_of(
        table.unit, "smallBlind", overrides.small_blind or table.config.small_blind
    )
    big_blind = chips_of(table.unit, "bigBlind", overrides.big_blind or table.config.big_blind)
    if small_blind > big_blind:
        raise CommandRefused(
            Reason.INVALID_BLINDS,
            "The small blind must not be larger than the big blind.",
            (Violation("smallBlind", f"at most {table.unit.amount(big_blind)}"),),
        )
    # Players registered under the room's rules: no start may raise a blind to a whole buy-in.
    most = max(table.config.min_buy_in, table.config.big_blind)
    if big_blind > chips_of(table.unit, "minBuyIn", most):
        raise CommandRefused(
            Reason.INVALID_BLINDS,
            "The big blind must not be larger than the smallest buy-in, or than the room's own"
            f" big blind: {most}.",
            (Violation("bigBlind", f"at most {most}"),),
        )
    return SessionStart(
        Stakes(small_blind, big_blind, table.unit.chips(table.config.ante)),
        overrides.max_hands or table.config.max_hands,
        overrides.request_id,
    )
