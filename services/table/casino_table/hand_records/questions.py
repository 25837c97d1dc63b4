"""The questions of a completed hand, asked again of its journal. Pure."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import orjson

from casino_table.domain.seat import Seat
from casino_table.journal.journal_log import JournalRecord
from casino_table.play.changes import DecisionsMade, JournaledTable, change_of


def questions_of(records: Sequence[JournalRecord]) -> list[dict[str, Any] | None]:
    """Return the question of each decision, in order; None for a seat that was not asked.

    Each is the first attempt, as the table sent it to an agent of its own protocol, with the whole
    clock. The hand must be one that can be replayed.
    """
    first, *later = records
    state = JournaledTable.of(first)
    questions: list[dict[str, Any] | None] = []
    for record in later:
        change = change_of(record)
        if isinstance(change, DecisionsMade):
            questions += _questions(state, change)
        if change is not None:
            change.apply(state)
    return questions


def _questions(state: JournaledTable, made: DecisionsMade) -> list[dict[str, Any] | None]:
    hand = state.hand
    assert hand is not None  # noqa: S101  a hand is dealt before it is decided
    pairs = zip(hand.pending, made.decisions, strict=True)
    return [
        None if decision.outcome == "sitting_out" else _question(state, seat, ahead)
        for ahead, (seat, decision) in enumerate(pairs)
    ]


def _question(state: JournaledTable, seat: Seat, ahead: int) -> dict[str, Any]:
    assert state.hand is not None  # noqa: S101  as above
    config = state.table.config
    clock = timedelta(milliseconds=seat.clock_in(config))
    question = state.hand.question(seat, ahead)
    fields: dict[str, Any] = orjson.loads(
        question.request(1, clock, None, seat.time_bank_in(config))
    )
    return fields
