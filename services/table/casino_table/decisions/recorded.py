"""Journal format of decisions: one per record, or all simultaneous ones together."""

from collections.abc import Iterable, Sequence
from typing import Any

from casino_table.decisions.turn import Decision
from casino_table.journal.journal import JournalRecord

_DECIDED, _WINDOW = "decided", "window"


def decided(decisions: Sequence[Decision]) -> JournalRecord:
    """Return the record of simultaneous decisions."""
    contents = [_content(decision) for decision in decisions]
    if len(contents) == 1:
        return JournalRecord(_DECIDED, contents[0])
    return JournalRecord(_WINDOW, {"decisions": contents})


def decisions_in(records: Iterable[JournalRecord]) -> list[dict[str, Any]]:
    """Return the decisions of records in order: `action`, `outcome`, `message`, `reasoning`."""
    contents: list[dict[str, Any]] = []
    for record in records:
        content = record.content or {}
        if record.kind == _DECIDED:
            contents.append(content)
        elif record.kind == _WINDOW:
            contents += content["decisions"]
    return contents


def _content(decision: Decision) -> dict[str, Any]:
    content: dict[str, Any] = {"action": decision.action, "outcome": decision.outcome}
    if decision.message:
        content["message"] = decision.message
    if decision.reasoning:
        content["reasoning"] = decision.reasoning
    return content
