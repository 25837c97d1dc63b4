"""Recover a table by applying its journal's records since the last full state. Pure."""

from collections.abc import Sequence

from casino_games import GameError

from casino_table.journal.records import JournalRecord
from casino_table.play.changes import DecisionsMade, HandDealt, JournaledTable, change_of


def recover(records: Sequence[JournalRecord]) -> JournaledTable:
    """Return the state after the last record; the first one must hold the full state.

    A hand that its game cannot replay ends in `fault`; all other changes are applied.
    """
    first, *later = records
    state = JournaledTable.of(first)
    for record in later:
        change = change_of(record)
        is_play = isinstance(change, HandDealt | DecisionsMade)
        if change is None or (is_play and state.fault is not None):
            continue
        try:
            change.apply(state)
        except GameError as fault:
            if not is_play:
                raise
            state.fault = fault
    return state
