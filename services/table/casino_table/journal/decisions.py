"""Journal format of decisions: one per record, or all simultaneous ones together."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from casino_play.decision import Decision

from casino_table.journal.records import JournalRecord

_DECIDED, _WINDOW = "decided", "window"


def decided(decisions: Sequence[Decision]) -> JournalRecord:
    """Return the record of simultaneous decisions."""
    contents = [_content(decision) for decision in decisions]
    if len(contents) == 1:
        return JournalRecord(_DECIDED, contents[0])
    return JournalRecord(_WINDOW, {"decisions": contents})


def decisions_in(records: Iterable[JournalRecord]) -> list[dict[str, Any]]:
    """Return the decisions of records in order: `action`, `outcome`, texts such as `message`."""
    contents: list[dict[str, Any]] = []
    for record in records:
        content = record.content or {}
        if record.kind == _DECIDED:
            contents.append(content)
        elif record.kind == _WINDOW:
            contents += content["decisions"]
    return contents


def decision_of(content: Mapping[str, Any]) -> Decision:
    """Return a recorded decision without its texts; older records have no latency."""
    latency = timedelta(milliseconds=content.get("latency_ms") or 0)
    return Decision(content["action"], content["outcome"], latency)


def _content(decision: Decision) -> dict[str, Any]:
    content: dict[str, Any] = {"action": decision.action, "outcome": decision.outcome}
    if decision.latency:
        content["latency_ms"] = decision.latency_ms
    if decision.message:
        content["message"] = decision.message
    if decision.reasoning:
        content["reasoning"] = decision.reasoning
    if decision.reason:
        content["reason"] = decision.reason
    if decision.refused:
        content["refused"] = decision.refused
    return content
