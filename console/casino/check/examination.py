"""Runs all checks against one bot, in order, and reports what they found."""

import ssl
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Final

from casino_agentkit import HttpTransport
from casino_contracts import SignupResponse

from casino.check.bot_under_test import ADDRESS, BotUnderTest, FunctionBot
from casino.check.card_checks import (
    CONTRIBUTE,
    OF_TOKEN,
    SIGNUP,
    check_card,
    check_contribute,
    check_seat_token,
    check_signup,
)
from casino.check.findings import Finding, RecordingTransport, Verdict, skipped
from casino.check.input_checks import BAD_INPUT, CONNECTION, check_bad_input, check_connection
from casino.check.practice import Practice
from casino.check.turn_checks import (
    CONCURRENCY,
    OTHER_GAMES,
    QUESTIONS,
    REDELIVERY,
    SECOND_ATTEMPT,
    SIZE,
    SPEED,
    UNKNOWN_FIELDS,
    check_concurrency,
    check_other_games,
    check_questions,
    check_redelivery,
    check_second_attempt,
    check_size,
    check_speed,
    check_unknown_fields,
)
from casino.output import Output, counted, cut

Check = Callable[[BotUnderTest], Awaitable[list[Finding]]]
OnFinding = Callable[[Finding], None]

QUESTIONS_ASKED: Final = 60
OTHER_QUESTIONS_ASKED: Final = 12

_WITH_ANSWERS: Final[tuple[tuple[str, Check], ...]] = (
    (OTHER_GAMES, check_other_games),
    (REDELIVERY, check_redelivery),
    (SECOND_ATTEMPT, check_second_attempt),
    (UNKNOWN_FIELDS, check_unknown_fields),
    (OF_TOKEN, check_seat_token),
    (CONTRIBUTE, check_contribute),
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
    subject = BotUnderTest(transport, practice, clock, seed, url, function, tls)
    try:
        return await examine(subject, on_finding)
    finally:
        await subject.client.close()


async def examine(subject: BotUnderTest, on_finding: OnFinding) -> list[Finding]:
    """Run all checks that no fault makes impossible. Raises CallFailed without a table."""
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
    return any(finding.verdict is Verdict.FAULT for finding in findings)


_STYLES: Final = {
    Verdict.OK: "green",
    Verdict.NOTE: "dim",
    Verdict.WARNING: "yellow",
    Verdict.FAULT: "bold red",
    Verdict.SKIPPED: "dim",
}
_SHOWN: Final = 1_000
_INDENT: Final = " " * 16


def write_finding(output: Output, finding: Finding) -> None:
    """Write one finding: a line, and below a fault what was sent, what came, and the fix."""
    named = f"{finding.name}: " if finding.name else ""
    verdict = f"{finding.verdict.value:<8}"
    output.line(f"{finding.check:<15} {verdict} {named}{finding.text}", _STYLES[finding.verdict])
    for label, text in (("sent", finding.sent), ("came", finding.came), ("fix", finding.fix)):
        if text:
            output.line(f"{_INDENT}{label:<8} {cut(text, _SHOWN)}")


def write_verdict(output: Output, findings: Sequence[Finding]) -> None:
    output.line(verdict_of(findings))


def verdict_of(findings: Sequence[Finding]) -> str:
    counts = Counter(finding.verdict for finding in findings)
    warnings = counted(counts[Verdict.WARNING], "warning")
    if has_fault([*findings]):
        faults = counted(counts[Verdict.FAULT], "fault")
        return f"not ready for a table: {faults}, {warnings}"
    if counts[Verdict.WARNING]:
        return f"ready for a table, with {warnings}"
    return "ready for a table"


def write_json(output: Output, finding: Finding) -> None:
    output.json(finding.to_json())


def write_json_verdict(output: Output, findings: Sequence[Finding]) -> None:
    counts = Counter(finding.verdict for finding in findings)
    output.json(
        {
            "isReady": not has_fault([*findings]),
            "verdict": verdict_of(findings),
            "counts": {verdict.value: counts[verdict] for verdict in Verdict},
        }
    )
