"""Recover a table by applying its journal's records since the last full state. Pure."""

from collections.abc import Sequence

from casino_table.journal.journal import JournalRecord
from casino_table.play.changes import TableState, change_of


def recover(records: Sequence[JournalRecord]) -> TableState:
    """Return the state after the last record; the first one must hold the full state."""
    first, *later = records
    state = TableState.of(first)
    for record in later:
        change = change_of(record)
        if change is not None:
            change.apply(state)
    return state
