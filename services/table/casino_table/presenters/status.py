"""Events about the status of a table and its seats."""

from casino_contracts import StatusKind, StatusPayload

from casino_table.domain.seat import Seat
from casino_table.domain.table import Table
from casino_table.journal.journal import TableFact


def status(
    table: Table,
    kind: StatusKind,
    message: str,
    seat: Seat | None = None,
    *,
    amount: float | None = None,
    hand_number: int | None = None,
    hands_left: int | None = None,
    reason: str | None = None,
) -> TableFact:
    """Return a `table_status` with the current state of the table."""
    payload = StatusPayload(
        status=table.status,
        kind=kind,
        player_id=seat.player_id if seat else None,
        seat_number=seat.number if seat else None,
        stack=table.unit.amount(seat.stack) if seat else None,
        amount=amount,
        hand_number=hand_number,
        hand_count=table.hands_completed,
        hands_left=hands_left,
        reason=reason,
        plays_for="points" if kind == "configured" and not table.plays_for_chips else None,
    )
    return TableFact("table_status", message, payload)
