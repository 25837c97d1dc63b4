"""Check the start of a session: its stakes, hands and players. Pure."""

from casino_agentkit import CommandRefused, Violation
from casino_contracts import Reason, StartGameInput

from casino_table.domain.stakes import SessionStart, Stakes, chips_of
from casino_table.domain.table import Table


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
