"""Decisions as the journal keeps them: one a record, or those of a whole window together."""

from collections.abc import Iterable, Sequence
from typing import Any

from casino_table.decisions.turn import Decision
from casino_table.journal.journal import JournalRecord

_ONE, _WINDOW = "decided", "window"


def decided(decisions: Sequence[Decision]) -> JournalRecord:
    """Return the record of what was decided at once."""
    contents = [_content(decision) for decision in decisions]
    if len(contents) == 1:
        return JournalRecord(_ONE, contents[0])
    return JournalRecord(_WINDOW, {"decisions": contents})


def decisions_in(records: Iterable[JournalRecord]) -> list[dict[str, Any]]:
    """Return the decisions of records in their order: `action`, `outcome`, what was said."""
    found: list[dict[str, Any]] = []
    for record in records:
        content = record.content or {}
        if record.kind == _ONE:
            found.append(content)
        elif record.kind == _WINDOW:
            found += content["decisions"]
    return found


def _content(decision: Decision) -> dict[str, Any]:
    content: dict[str, Any] = {"action": decision.action, "outcome": decision.outcome}
    if decision.message:
        content["message"] = decision.message
    if decision.reasoning:
        content["reasoning"] = decision.reasoning
    return content
