"""Where a table stands: a fold of its journal since the last record with its whole state. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from casino_contracts import ConfigureTableInput, SeatPlayerInput

from casino_table.decisions.recorded import decisions_in
from casino_table.domain.table import Table
from casino_table.journal.journal import JournalRecord
from casino_table.play.hand import RunningHand


@dataclass
class Recovered:
    """A table as it stood when the last record was committed."""

    by: ConfigureTableInput
    table: Table
    hand: RunningHand | None = None


def recover(records: Sequence[JournalRecord]) -> Recovered:
    """Fold records, the first of which holds the table's whole state."""
    first, *later = records
    assert first.table is not None  # noqa: S101  that is how the log finds it
    assert first.content is not None  # noqa: S101
    by = ConfigureTableInput.model_validate(first.content["by"])
    recovered = Recovered(by, Table.from_json(first.table))
    for record in later:
        _apply(recovered, record)
    return recovered


def _apply(to: Recovered, record: JournalRecord) -> None:
    content = record.content or {}
    match record.kind:
        case "hand":
            to.hand = RunningHand(to.table, to.table.next_deal(), content["seed"])
            to.hand.started()
        case "decided" | "window":
            assert to.hand is not None  # noqa: S101  the chain of records says so
            for one in decisions_in([record]):
                to.hand.replay(one["action"], one["outcome"])
        case "seated":
            to.table.take_seat(SeatPlayerInput.model_validate(content["player"]))
        case "leaving":
            to.table.seat_of(content["player_id"]).is_leaving = True
        case "bound":
            to.by = ConfigureTableInput.model_validate(content["by"])
        case "closing":
            to.table.is_closing = True
        case _:
            """Told, without a change of what is folded."""
