"""The faults of a bot that is a function, of a file or of the program."""

import asyncio
import itertools
import math
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from casino.check.findings import Finding, Verdict
from casino.testing.table import checked
from casino_contracts import ActionRequest
from support.author.broken_bots import Json, increment, of, sound
from support.match.plans import bot

Act = Callable[[Json], Any]
HEAD = """WHY = {"reason": "model_failed", "detail": "401 Incorrect API key provided"}
DEFAULTED = {"defaulted": WHY}
def act(turn):"""
KNOWN = frozenset(ActionRequest.model_json_schema(by_alias=True)["properties"])


def faults_in(findings: list[Finding]) -> dict[str, Finding]:
    return {each.name: each for each in findings if each.verdict is Verdict.FAULT}


async def test_the_same_seed_asks_the_same_questions(tmp_path: Path) -> None:
    """Another seed asks others."""
    target = bot(tmp_path, "return {'action': 'dance'}")
    first, again, other = [
        faults_in(await checked(target, seed=seed))["unknown-action"].sent for seed in (1, 1, 2)
    ]
    assert first == again != other


@pytest.mark.parametrize(
    ("body", "name", "text"),
    [
        ("x = 1\nreturn turn['absent']", "exception", "bot.py, line 5: KeyError: 'absent'"),
        ("next(iter(()))", "exception", "bot.py, line 4: StopIteration"),
        ("raise TimeoutError('no')", "exception", "bot.py, line 4: TimeoutError: no"),
        ("return None", "null-answer", ""),
        ("return {'action': {1, 2}}", "exception", "bot.py: the answer is no JSON: action is of"),
        ("import sys; sys.exit(3)", "exception", "bot.py, line 4: SystemExit: 3"),
        ("raise KeyboardInterrupt", "exception", "bot.py, line 4: KeyboardInterrupt"),
        ("return {'action': 'call', 'amount': '68'}", "amount-not-a-number", '; it is "68"'),
        ("return {'action': 'dance'}", "unknown-action", '; it is "dance"'),
        ("return {'action': 'fold', 'message': 3}", "malformed-answer", "message: must be a str"),
        (
            "return DEFAULTED | {'action': turn['legalActions'][0]}",
            "defaulted",
            "60 of 60 answers were defaults: model_failed: 401 Incorrect API key provided",
        ),
    ],
)
async def test_the_fault_of_a_file_s_function_is_named(
    tmp_path: Path, body: str, name: str, text: str
) -> None:
    faults = faults_in(await checked(bot(tmp_path, body, head=HEAD)))
    assert list(faults) == [name]
    assert text in faults[name].text


def raising(amount: Callable[[Json], Any]) -> Act:
    """Return a bot that raises wherever it may, to this amount; None is left out."""

    def act(turn: Json) -> Json:
        if "raise" not in turn["legalActions"]:
            return sound(turn)
        answer = {"action": "raise", "amount": amount(turn)}
        return {key: value for key, value in answer.items() if value is not None}

    return act


def too_little(turn: Json) -> float:
    """Return a total that is above the bet, but no full raise."""
    return turn["minRaiseTo"] - min(1, turn["minimumRaise"] / 2)  # type: ignore[no-any-return]


def strict(turn: Json) -> Json:
    """Refuse a question with a field that is not known."""
    assert set(turn) <= KNOWN
    return sound(turn)


def failing_under_load() -> Act:
    """Return a bot for which two questions at once are too much."""
    at_once = 0

    async def act(turn: Json) -> Json:
        nonlocal at_once
        at_once += 1
        await asyncio.sleep(0.05)
        was, at_once = at_once, at_once - 1
        assert was == 1
        return sound(turn)

    return act


def one_at_a_time() -> Act:
    """Return a bot that thinks for 80 ms, about one question after the other."""
    thinking = asyncio.Lock()

    async def act(turn: Json) -> Json:
        async with thinking:
            await asyncio.sleep(0.08)
        return sound(turn)

    return act


def folding_at_times() -> Act:
    """Return a bot that folds every second time."""
    turns = itertools.count()

    def act(turn: Json) -> Json:
        folds = "fold" in turn["legalActions"] and next(turns) % 2
        return {"action": "fold"} if folds else sound(turn)

    return act


@pytest.mark.parametrize(
    ("act", "check", "name"),
    [
        (lambda _: {"action": "check"}, "questions", "illegal-action"),
        (raising(lambda _: math.nan), "questions", "nan"),
        (raising(lambda turn: increment(turn)["amount"]), "questions", "amount-as-increment"),
        (raising(lambda _: None), "questions", "amount-missing"),
        (raising(too_little), "questions", "amount-out-of-range"),
        (raising(lambda turn: turn["maxRaiseTo"] * 2), "questions", "amount-out-of-range"),
        (raising(lambda turn: turn["minRaiseTo"] + 1 / 3), "questions", "amount-off-unit"),
        (lambda turn: sound(turn) | {"reasoning": "x" * 2_000_000}, "questions", "too-large"),
        (strict, "unknown-fields", "exception"),
        (failing_under_load(), "concurrency", "fails-under-load"),
    ],
)
async def test_the_fault_of_a_function_is_named(act: Act, check: str, name: str) -> None:
    """It is the only one."""
    findings = await checked(act)
    assert of(Verdict.FAULT, findings) == [(check, name)], findings


@pytest.mark.parametrize(
    ("act", "check", "name"),
    [
        (lambda turn: sound(turn) | {"notes": "x" * 20_000}, "reply-size", "large-reply"),
        (folding_at_times(), "redelivery", "another-answer"),
        (one_at_a_time(), "concurrency", "one-at-a-time"),
    ],
)
async def test_the_weakness_of_a_function_is_named(act: Act, check: str, name: str) -> None:
    findings = await checked(act)
    assert (check, name) in of(Verdict.WARNING, findings), findings


async def test_a_function_that_thinks_for_long_is_named() -> None:
    """More than half of the clock is little room."""

    async def act(turn: Json) -> Json:
        await asyncio.sleep(2.5)
        return sound(turn)

    findings = await checked(act, clock=timedelta(seconds=4))
    assert ("speed", "slow") in of(Verdict.WARNING, findings), findings
