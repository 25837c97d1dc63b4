"""Checks of questions that come again: `redelivery`, `second-attempt`, `unknown-fields`."""

from typing import Any, Final

import orjson
from casino_contracts import Rejection

from casino.check.finding import Finding, Verdict, ok
from casino.check.practice import Task
from casino.check.subject import Answer, Subject

REDELIVERY: Final = "redelivery"
SECOND_ATTEMPT: Final = "second-attempt"
UNKNOWN_FIELDS: Final = "unknown-fields"
_MOST: Final = 5
"""Questions that are repeated."""
_CHANGES: Final = (
    "answer the same requestId as before: remember the answer, or seed the dice from requestId"
)
_NEWER: Final[dict[str, Any]] = {"addedInALaterVersion": {"level": 3, "names": ["a", "b"]}}
"""Fields that a later version of the protocol may add."""


async def check_redelivery(subject: Subject) -> list[Finding]:
    """Send questions again, as after a lost reply: with the same requestId."""
    for task, first in subject.answers[:_MOST]:
        again = await subject.pose(task, first.request, first.brief)
        if again.failure:
            text = "the same question a second time, with the same requestId"
            return [_failed(REDELIVERY, text, task, again)]
        if again.action.get("action") != first.action.get("action") or again.action.get(
            "amount"
        ) != first.action.get("amount"):
            text = f"the same requestId was answered {_short(first)} and then {_short(again)}"
            return [
                Finding(
                    REDELIVERY,
                    Verdict.WARNING,
                    text,
                    "another-answer",
                    _CHANGES,
                    again.request.decode(),
                    again.came,
                )
            ]
    return [ok(REDELIVERY, "the same requestId gets the same answer")]


async def check_second_attempt(subject: Subject) -> list[Finding]:
    """Ask questions a second time, with the reason why the first answer was refused."""
    for task, _ in subject.answers[:_MOST]:
        rejected = await _refusal(subject, task)
        body, brief = await subject.practice.ask(task, subject.clock_ms, 2, rejected)
        again = await subject.pose(task, body, brief)
        if again.failure:
            text = f"the second attempt, with rejected ({rejected.message[:80]})"
            return [_failed(SECOND_ATTEMPT, text, task, again)]
    return [ok(SECOND_ATTEMPT, "questions with rejected are answered")]


async def check_unknown_fields(subject: Subject) -> list[Finding]:
    """Ask questions with fields that the bot cannot know."""
    for task, _ in subject.answers[:_MOST]:
        body, brief = await subject.practice.ask(task, subject.clock_ms)
        answer = await subject.pose(task, subject.anew(body, **_NEWER), brief)
        if answer.failure:
            text = "a question with a field that a later version may add (addedInALaterVersion)"
            return [_failed(UNKNOWN_FIELDS, text, task, answer)]
    return [ok(UNKNOWN_FIELDS, "fields that the bot does not know are passed over")]


async def _refusal(subject: Subject, task: Task) -> Rejection:
    """Return what a table says of an answer that is illegal at this question."""
    action: Any = {"action_type": "NO_SUCH_ACTION"}
    wrong = {"action": action}
    if not (subject.signup and subject.signup.plays_any_game):
        wrong = {"action": "check" if "call" in task.kind else "fold"}
    judgement = await subject.practice.judge(task, wrong)
    return Rejection(reason="illegal", message=judgement.illegal, answer=judgement.answer)


def _failed(check: str, what: str, task: Task, answer: Answer) -> Finding:
    failure = answer.failure
    assert failure is not None  # noqa: S101  the caller has seen that it failed
    text = f"{what}, at “{task.kind}”: {failure.text}"
    sent = answer.request.decode()
    return Finding(check, Verdict.FAULT, text, failure.name, failure.fix, sent, answer.came)


def _short(answer: Answer) -> str:
    kept = {key: answer.action[key] for key in ("action", "amount") if key in answer.action}
    return orjson.dumps(kept).decode()
