"""Runs all checks against one bot, in order."""

import ssl
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final

from casino_agentkit import HttpTransport
from casino_contracts import SignupResponse

from casino.check.checks.bad_input import CHECK as BAD_INPUT
from casino.check.checks.bad_input import check_bad_input
from casino.check.checks.card import check_card
from casino.check.checks.connection import CHECK as CONNECTION
from casino.check.checks.connection import check_connection
from casino.check.checks.load import (
    CONCURRENCY,
    SIZE,
    SPEED,
    check_concurrency,
    check_size,
    check_speed,
)
from casino.check.checks.questions import (
    CHECK as QUESTIONS,
)
from casino.check.checks.questions import (
    OTHER_GAMES,
    check_other_games,
    check_questions,
)
from casino.check.checks.repeated import (
    REDELIVERY,
    SECOND_ATTEMPT,
    UNKNOWN_FIELDS,
    check_redelivery,
    check_second_attempt,
    check_unknown_fields,
)
from casino.check.checks.seat_token import CHECK as SEAT_TOKEN
from casino.check.checks.seat_token import check_seat_token
from casino.check.checks.signup import CHECK as SIGNUP
from casino.check.checks.signup import check_signup
from casino.check.exchange import RecordingTransport
from casino.check.finding import Finding, Verdict, skipped
from casino.check.function_bot import ADDRESS, FunctionBot
from casino.check.practice import Practice
from casino.check.subject import Subject

Check = Callable[[Subject], Awaitable[list[Finding]]]
OnFinding = Callable[[Finding], None]

QUESTIONS_ASKED: Final = 60
OTHER_QUESTIONS_ASKED: Final = 12

_WITH_ANSWERS: Final[tuple[tuple[str, Check], ...]] = (
    (OTHER_GAMES, check_other_games),
    (REDELIVERY, check_redelivery),
    (SECOND_ATTEMPT, check_second_attempt),
    (UNKNOWN_FIELDS, check_unknown_fields),
    (SEAT_TOKEN, check_seat_token),
    (SPEED, check_speed),
    (SIZE, check_size),
    (CONCURRENCY, check_concurrency),
    (CONNECTION, check_connection),
    (BAD_INPUT, check_bad_input),
)
"""Checks that ask questions again; the last may harm the bot."""


async def examine_bot(
    bot: FunctionBot | str,
    practice: Practice,
    clock: timedelta,
    seed: int,
    *,
    tls: ssl.SSLContext | None = None,
    on_finding: OnFinding = lambda _finding: None,
) -> list[Finding]:
    """Run all checks against a function, or the agent at a URL, and close its connections.

    `clock` is the time for each answer; the same `seed` asks the same questions. `tls` None trusts
    the system's authorities. Raises CallFailed as `examine` does.
    """
    function = bot if isinstance(bot, FunctionBot) else None
    url = ADDRESS if isinstance(bot, FunctionBot) else bot
    transport = RecordingTransport(function or HttpTransport(tls=tls))
    subject = Subject(transport, practice, clock, seed, url, function, tls)
    try:
        return await examine(subject, on_finding)
    finally:
        await subject.client.close()


async def examine(subject: Subject, on_finding: OnFinding) -> list[Finding]:
    """Run all checks; `on_finding` is called for each finding at once.

    What a fault makes impossible is skipped, with the reason. Raises CallFailed if the table's
    process cannot be used.
    """
    findings: list[Finding] = []

    def add(new: list[Finding]) -> None:
        findings.extend(new)
        for finding in new:
            on_finding(finding)

    add(await check_card(subject))
    if subject.peer is None:
        names = (SIGNUP, QUESTIONS, *(name for name, _ in _WITH_ANSWERS))
        add([skipped(name, "the bot cannot be called, see card") for name in names])
        return findings
    add(await check_signup(subject))
    signup = subject.signup or SignupResponse(display_name="Mine")
    subject.tasks = await subject.practice.deal(
        subject.seed,
        QUESTIONS_ASKED,
        OTHER_QUESTIONS_ASKED,
        signup,
        is_invoke=subject.called.is_invoke,
    )
    add(await check_questions(subject))
    for name, check in _WITH_ANSWERS:
        if not subject.answers:
            add([skipped(name, "no question was answered, see questions")])
        elif subject.is_given_up:
            add([skipped(name, "three calls in a row got no answer")])
        else:
            add(await check(subject))
    return findings


def has_fault(findings: list[Finding]) -> bool:
    """Return whether a bot is unfit for a table."""
    return any(finding.verdict is Verdict.FAULT for finding in findings)
