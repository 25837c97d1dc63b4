"""The faults of a bot that is a function of a file."""

from pathlib import Path

import pytest
from casino.check.finding import Finding, Verdict
from support.players.broken.bot_file import bot_file
from support.players.broken.checking import checked


def faults_in(findings: list[Finding]) -> dict[str, Finding]:
    return {each.name: each for each in findings if each.verdict is Verdict.FAULT}


async def test_the_same_seed_asks_the_same_questions(tmp_path: Path) -> None:
    target = bot_file(tmp_path, "return {'action': 'dance'}")
    first, again, other = [
        faults_in(await checked(target, seed=seed))["unknown-action"].sent for seed in (1, 1, 2)
    ]
    assert first == again != other


@pytest.mark.parametrize(
    ("body", "name", "text"),
    [
        ("x = 1\nreturn turn['absent']", "exception", "bot.py, line 5: KeyError: 'absent'"),
        ("next(iter(()))", "exception", "bot.py, line 4: RuntimeError: StopIteration"),
        ("raise TimeoutError('no')", "exception", "bot.py, line 4: TimeoutError: no"),
        ("return {'action': 'raise', 'amount': math.nan}", "nan", "not JSON"),
        ("return None", "null-answer", ""),
        ("return {'action': {1, 2}}", "exception", "act returns what is no JSON"),
        ("return {'action': 'check'}", "illegal-action", "check is not possible now"),
    ],
)
async def test_the_fault_of_a_function_is_named(
    tmp_path: Path, body: str, name: str, text: str
) -> None:
    faults = faults_in(await checked(bot_file(tmp_path, body)))
    assert list(faults) == [name]
    assert text in faults[name].text
