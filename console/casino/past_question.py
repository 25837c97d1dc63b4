"""A question of the past: read from a recorded hand or a file, and put to an agent again."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson
from casino_agentkit import (
    AgentClient,
    AgentError,
    Disconnected,
    KitReason,
    Malformed,
    RemoteRefused,
    TimedOut,
    Transport,
    Unreachable,
)
from casino_contracts import (
    ActionRequest,
    ActionResponse,
    Defaulted,
    GameActionRequest,
    GameActionResponse,
    HandRecord,
    RecordedDecision,
)
from casino_contracts.foreign_text import json_of
from casino_contracts.player_messages import CARD_TIMEOUT
from casino_play.turn import outcome_of
from pydantic import TypeAdapter, ValidationError

from casino.check.practice import Practice
from casino.errors import NoQuestion
from casino.output import chips, sanitize

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


_BRIEF = "You are a player in a game and it is your turn. Choose one of the legal actions."
_DEFAULT_CLOCK = timedelta(seconds=10)

Answer = ActionResponse | GameActionResponse


@dataclass(frozen=True)
class Judged:
    """An agent's answer, if it is one, and why a table would refuse it, if it would."""

    answer: dict[str, Any] | None
    reason: str | None
    latency_ms: float
    defaulted: Defaulted | None = None
    """Why the agent's program answered in its place, if it did."""
    is_token_missing: bool = False
    """Whether the agent answers only whoever presents its seat token."""

    @property
    def is_accepted(self) -> bool:
        """Whether a table plays the answer, though it may count it as missed."""
        return self.reason is None


def clock_of(question: PastQuestion) -> timedelta:
    left_ms = question.message.deadline_ms
    if left_ms is None:
        return _DEFAULT_CLOCK
    return timedelta(milliseconds=left_ms + (question.message.time_bank_ms or 0))


async def ask(
    url: str,
    question: PastQuestion,
    *,
    skill: str,
    clock: timedelta,
    token: str | None = None,
    transport: Transport | None = None,
) -> Judged:
    """Ask the agent of a card or base URL; raises CallFailed if no table can judge the answer."""
    client = AgentClient(transport)
    reply: type[Answer] = (
        ActionResponse if isinstance(question.message, ActionRequest) else GameActionResponse
    )
    began = time.perf_counter()
    try:
        agent = await client.resolve(url, timeout=CARD_TIMEOUT)
        began = time.perf_counter()
        answer: Answer = await agent.call(
            skill, orjson.dumps(question.sent), reply, timeout=clock, brief=_BRIEF, token=token
        )
    except AgentError as error:
        taken = time.perf_counter() - began
        content = error.content if isinstance(error, Malformed) else None
        return Judged(
            content if isinstance(content, dict) else None,
            _failure(error),
            _milliseconds(taken),
            is_token_missing=(
                isinstance(error, RemoteRefused) and error.reason == KitReason.UNAUTHORIZED
            ),
        )
    else:
        taken = time.perf_counter() - began
        sent = answer.model_dump(mode="json")
        _, defaulted = outcome_of(answer, is_second=False)
        objection = await _objection(question.sent, sent)
        return Judged(sent, objection, _milliseconds(taken), defaulted)
    finally:
        await client.close()


async def _objection(question: dict[str, Any], answer: dict[str, Any]) -> str | None:
    """Return why a table would refuse the answer; None if it would play it."""
    table = await Practice.start()
    try:
        return (await table.review(question, answer)).illegal or None
    finally:
        await table.close()


def _failure(error: AgentError) -> str:
    if isinstance(error, Unreachable) and not isinstance(error, Disconnected):
        return f"cannot be reached: {error}"
    if isinstance(error, TimedOut):
        return f"too late: {error.message}"
    return error.message


def _milliseconds(seconds: float) -> float:
    return round(seconds * 1000, 1)
