"""Recover a table by replaying its journal since the last full state. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from casino_contracts import ConfigureTableInput, SeatPlayerInput

from casino_table.decisions.recorded import decisions_in
from casino_table.domain.table import Table
from casino_table.journal.journal import JournalRecord
from casino_table.play.hand import RunningHand


@dataclass
class Recovered:
    """A table in its state after the last committed record."""

    configuration: ConfigureTableInput
    table: Table
    hand: RunningHand | None = None


def recover(records: Sequence[JournalRecord]) -> Recovered:
    """Replay records; the first one must hold the full state of the table."""
    first, *later = records
    assert first.table is not None  # noqa: S101  `Log.tail` starts at such a record
    assert first.content is not None  # noqa: S101
    configuration = ConfigureTableInput.model_validate(first.content["by"])
    recovered = Recovered(configuration, Table.from_json(first.table))
    for record in later:
        _apply(recovered, record)
    return recovered


def _apply(recovered: Recovered, record: JournalRecord) -> None:
    content = record.content or {}
    match record.kind:
        case "hand":
            deal = recovered.table.next_deal()
            recovered.hand = RunningHand(recovered.table, deal, content["seed"])
            recovered.hand.started()
        case "decided" | "window":
            assert recovered.hand is not None  # noqa: S101  a "hand" record precedes decisions
            for decision in decisions_in([record]):
                recovered.hand.replay(decision["action"], decision["outcome"])
        case "seated":
            recovered.table.take_seat(SeatPlayerInput.model_validate(content["player"]))
        case "leaving":
            recovered.table.seat_of(content["player_id"]).is_leaving = True
        case "bound":
            recovered.configuration = ConfigureTableInput.model_validate(content["by"])
        case "closing":
            recovered.table.is_closing = True
        case _:
            """Records that only publish events do not change the state."""
