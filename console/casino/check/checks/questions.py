"""Checks `questions` and `other-games`: every kind of question gets a legal answer in time."""

from collections.abc import Sequence
from typing import Final

from casino.check.finding import Finding, Verdict, note, ok, skipped
from casino.check.practice import Task
from casino.check.subject import Answer, Subject
from casino.formatting import counted

CHECK: Final = "questions"
OTHER_GAMES: Final = "other-games"

_Failed = tuple[Task, Answer]


async def check_questions(subject: Subject) -> list[Finding]:
    """Ask all questions of Hold'em, one after the other."""
    return await _questions(subject, CHECK, subject.holdem)


async def check_other_games(subject: Subject) -> list[Finding]:
    """Ask a bot that plays any game questions of other games than Hold'em."""
    tasks = [task for task in subject.tasks if not task.is_holdem]
    if not tasks:
        reason = "its signup does not say playsAnyGame: it is seated for Hold'em"
        return [skipped(OTHER_GAMES, reason)]
    return await _questions(subject, OTHER_GAMES, tasks)


async def _questions(subject: Subject, check: str, tasks: Sequence[Task]) -> list[Finding]:
    failed: dict[str, list[_Failed]] = {}
    count = 0
    for task in tasks:
        if subject.is_given_up:
            break
        answer = await subject.ask(task)
        count += 1
        if answer.failure is None:
            subject.answers.append((task, answer))
        else:
            failed.setdefault(answer.failure.name, []).append((task, answer))
    findings = [_finding(check, name, group, count) for name, group in failed.items()]
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
