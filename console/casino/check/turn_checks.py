"""Checks of turns: every kind of question, at once, again and in time, gets a legal answer."""

import asyncio
import statistics
from collections.abc import Sequence
from typing import Any, Final

import orjson
from casino_contracts import Rejection

from casino.check.bot_under_test import BotAnswer, BotUnderTest
from casino.check.findings import FIXES, Finding, Verdict, note, ok, skipped
from casino.check.practice import Task
from casino.output import counted

QUESTIONS: Final = "questions"
OTHER_GAMES: Final = "other-games"

_Failed = tuple[Task, BotAnswer]


async def check_questions(subject: BotUnderTest) -> list[Finding]:
    """Ask all questions of Hold'em, one after the other."""
    return await _questions(subject, QUESTIONS, subject.holdem)


async def check_other_games(subject: BotUnderTest) -> list[Finding]:
    """Ask a bot that plays any game questions of other games than Hold'em."""
    tasks = [task for task in subject.tasks if not task.is_holdem]
    if not tasks:
        reason = "its signup does not say playsAnyGame: it is seated for Hold'em"
        return [skipped(OTHER_GAMES, reason)]
    return await _questions(subject, OTHER_GAMES, tasks)


async def _questions(subject: BotUnderTest, check: str, tasks: Sequence[Task]) -> list[Finding]:
    failed: dict[str, list[_Failed]] = {}
    defaulted: dict[str, list[_Failed]] = {}
    count = 0
    for task in tasks:
        if subject.is_given_up:
            break
        answer = await subject.ask(task)
        count += 1
        if answer.failure is None:
            subject.answers.append((task, answer))
            if answer.defaulted:
                defaulted.setdefault(answer.defaulted.reason, []).append((task, answer))
        else:
            failed.setdefault(answer.failure.name, []).append((task, answer))
    findings = [_finding(check, name, group, count) for name, group in failed.items()]
    findings += [_of_defaults(check, group, count) for group in defaulted.values()]
    if count < len(tasks):
        left = counted(len(tasks) - count, "question")
        text = f"{left} not asked: three in a row got no answer, so a table lets the seat sit out"
        findings.append(note(check, text))
    return findings or [ok(check, f"{counted(count, 'legal answer')} to {count} questions")]


def _finding(check: str, name: str, failed: Sequence[_Failed], count: int) -> Finding:
    task, answer = failed[0]
    failure = answer.failure
    assert failure is not None  # noqa: S101  only failed answers are collected
    text = f"{len(failed)} of {count} answers; at “{task.kind}”: {failure.text}"
    sent = answer.request.decode()
    return Finding(check, Verdict.FAULT, text, name, failure.fix, sent, answer.came)


def _of_defaults(check: str, defaults: Sequence[_Failed], count: int) -> Finding:
    _, answer = defaults[0]
    why = answer.defaulted
    assert why is not None  # noqa: S101  only defaults are collected
    text = f"{len(defaults)} of {count} answers were defaults: {why.text}"
    sent, fix = answer.request.decode(), FIXES["defaulted"]
    return Finding(check, Verdict.FAULT, text, "defaulted", fix, sent, answer.came)


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


async def check_redelivery(subject: BotUnderTest) -> list[Finding]:
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


async def check_second_attempt(subject: BotUnderTest) -> list[Finding]:
    """Ask questions a second time, with the reason why the first answer was refused."""
    for task, _ in subject.answers[:_MOST]:
        rejected = await _refusal(subject, task)
        body, brief = await subject.practice.ask(task, subject.clock_ms, 2, rejected)
        again = await subject.pose(task, body, brief)
        if again.failure:
            text = f"the second attempt, with rejected ({rejected.message[:80]})"
            return [_failed(SECOND_ATTEMPT, text, task, again)]
    return [ok(SECOND_ATTEMPT, "questions with rejected are answered")]


async def check_unknown_fields(subject: BotUnderTest) -> list[Finding]:
    """Ask questions with fields that the bot cannot know."""
    for task, _ in subject.answers[:_MOST]:
        body, brief = await subject.practice.ask(task, subject.clock_ms)
        answer = await subject.pose(task, subject.anew(body, **_NEWER), brief)
        if answer.failure:
            text = "a question with a field that a later version may add (addedInALaterVersion)"
            return [_failed(UNKNOWN_FIELDS, text, task, answer)]
    return [ok(UNKNOWN_FIELDS, "fields that the bot does not know are passed over")]


async def _refusal(subject: BotUnderTest, task: Task) -> Rejection:
    action: Any = {"action_type": "NO_SUCH_ACTION"}
    wrong = {"action": action}
    if not (subject.signup and subject.signup.plays_any_game):
        wrong = {"action": "check" if "call" in task.kind else "fold"}
    judgement = await subject.practice.judge(task, wrong)
    return Rejection(reason="illegal", message=judgement.illegal, answer=judgement.answer)


def _failed(check: str, what: str, task: Task, answer: BotAnswer) -> Finding:
    failure = answer.failure
    assert failure is not None  # noqa: S101  the caller has seen that it failed
    text = f"{what}, at “{task.kind}”: {failure.text}"
    sent = answer.request.decode()
    return Finding(check, Verdict.FAULT, text, failure.name, failure.fix, sent, answer.came)


def _short(answer: BotAnswer) -> str:
    kept = {key: answer.action[key] for key in ("action", "amount") if key in answer.action}
    return orjson.dumps(kept).decode()


CONCURRENCY: Final = "concurrency"
SPEED: Final = "speed"
SIZE: Final = "reply-size"
_AT_ONCE: Final = 8
_SERIAL: Final = 0.6
"""The part of the sum of all times above which questions were answered one after the other."""
_NOTICEABLE_S: Final = 0.02
_LARGE: Final = 16_384
_FIXES: Final = {
    "one-at-a-time": "serve each connection in a thread or task of its own (ThreadingHTTPServer"
    " instead of HTTPServer): one table asks while another one is answered",
    "fails-under-load": "share no state between questions that are asked at once",
    "slow": "half of the clock is little room: decide faster, or set clockMs in the reply to"
    " signup",
    "large-reply": "send the action alone; a reply of more than 1 MiB is refused",
}


async def check_concurrency(subject: BotUnderTest) -> list[Finding]:
    """Ask eight questions at once, as tables do at which the bot has seats."""
    tasks = [task for task, _ in subject.answers[:_AT_ONCE]]
    single_s = statistics.median(answer.seconds for _, answer in subject.answers)
    loop = asyncio.get_running_loop()
    begun = loop.time()
    answers = await asyncio.gather(*(subject.ask_anew(task) for task in tasks))
    elapsed_s = loop.time() - begun
    subject.missed = 0
    await subject.reconnect()
    failed = [answer for answer in answers if answer.failure]
    if failed:
        failure = failed[0].failure
        assert failure is not None  # noqa: S101  only failed answers are in the list
        is_late = failure.name == "no-answer-in-time"
        name = "one-at-a-time" if is_late else "fails-under-load"
        text = f"{len(failed)} of {len(tasks)} questions at once failed: {failure.text}"
        return [_load_finding(CONCURRENCY, Verdict.FAULT, name, text, failed[0].exchange.came)]
    if single_s > _NOTICEABLE_S and elapsed_s > _SERIAL * single_s * len(tasks) > single_s:
        text = (
            f"{len(tasks)} questions at once took {elapsed_s:.2f} s, one alone {single_s:.2f} s:"
            " they are answered one after the other"
        )
        return [_load_finding(CONCURRENCY, Verdict.WARNING, "one-at-a-time", text)]
    return [ok(CONCURRENCY, f"{len(tasks)} questions at once, answered in {elapsed_s:.3f} s")]


async def check_speed(subject: BotUnderTest) -> list[Finding]:
    seconds = sorted(answer.seconds for _, answer in subject.answers)
    median, late = statistics.median(seconds), seconds[int(0.99 * (len(seconds) - 1))]
    text = f"median {_ms(median)}, 99 % within {_ms(late)}, slowest {_ms(seconds[-1])}"
    if seconds[-1] > subject.clock.total_seconds() / 2:
        return [
            _load_finding(
                SPEED, Verdict.WARNING, "slow", f"{text}; the clock is {subject.clock_ms} ms"
            )
        ]
    return [ok(SPEED, text)]


async def check_size(subject: BotUnderTest) -> list[Finding]:
    exchanges = [answer.exchange for _, answer in subject.answers]
    largest = max(exchanges, key=lambda exchange: len(exchange.body))
    size = len(largest.body)
    text = f"the largest reply has {size} bytes"
    if size > _LARGE:
        came = largest.came
        return [_load_finding(SIZE, Verdict.WARNING, "large-reply", text, came)]
    return [ok(SIZE, text)]


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


def _load_finding(check: str, verdict: Verdict, name: str, text: str, came: str = "") -> Finding:
    return Finding(check, verdict, text, name, _FIXES[name], came=came)
