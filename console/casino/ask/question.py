"""A question of the past: of a recorded hand, or from a file."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from casino_contracts import ActionRequest, GameActionRequest, HandRecord, RecordedDecision
from casino_contracts.foreign_text import json_of
from pydantic import TypeAdapter, ValidationError

from casino.errors import NoQuestion
from casino.formatting import chips, sanitize

Question = ActionRequest | GameActionRequest

_GAME: TypeAdapter[GameActionRequest] = TypeAdapter(GameActionRequest)
_HOLDEM: TypeAdapter[ActionRequest] = TypeAdapter(ActionRequest)


@dataclass(frozen=True)
class PastQuestion:
    """A question as it was sent, as a message, and what was decided then, if that is known."""

    sent: dict[str, Any]
    message: Question
    title: str
    decision: RecordedDecision | None = None


def question_in(record: HandRecord, number: int | None) -> PastQuestion:
    """Return the question of a decision, counted from 1; raises NoQuestion."""
    decisions = record.decisions
    if number is None or not 1 <= number <= len(decisions):
        raise NoQuestion(
            f"name a decision of {record.hand_id} with --decision:\n" + "\n".join(_listed(record))
        )
    decision = decisions[number - 1]
    if decision.question is None:
        raise NoQuestion(
            f"decision {number} has no question: the seat sat out, or the table is older than"
            " this command"
        )
    title = f"{record.hand_id}, decision {number}: {_name(record, decision.player_id)}"
    return _read(decision.question, title, decision)


def question_of_file(path: Path) -> PastQuestion:
    """Return the question in a JSON file; raises NoQuestion."""
    try:
        sent = json_of(path.read_bytes())
    except OSError as error:
        raise NoQuestion(f"--question {path}: {error.strerror}") from error
    except ValueError as error:
        raise NoQuestion(f"--question {path} is not valid JSON: {error}") from error
    if not isinstance(sent, dict):
        raise NoQuestion(f"--question {path} must hold one JSON object, the input of `act`")
    return _read(sent, str(path))


def _read(
    sent: dict[str, Any], title: str, decision: RecordedDecision | None = None
) -> PastQuestion:
    adapter: TypeAdapter[Any] = _GAME if "availableActions" in sent else _HOLDEM
    try:
        message = adapter.validate_python(sent)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        field = ".".join(map(str, fault["loc"]))
        raise NoQuestion(f"{title} is no question: {field}: {fault['msg']}") from error
    return PastQuestion(sent, message, title, decision)


def action_text(action: dict[str, Any]) -> str:
    """Return a recorded action in words, such as `raise 12`."""
    amount = action.get("amount")
    kind = str(action.get("action_type") or action.get("action"))
    return kind if not isinstance(amount, int | float) else f"{kind} {chips(amount)}"


def _listed(record: HandRecord) -> Iterator[str]:
    for number, decision in enumerate(record.decisions, start=1):
        name = _name(record, decision.player_id)
        where = decision.betting_round or ""
        yield f"  {number:>3}  {where:8} {name}: {action_text(decision.action)}"


def _name(record: HandRecord, player_id: str) -> str:
    names = {seat.player_id: seat.display_name for seat in record.players}
    return sanitize(names.get(player_id, player_id))
