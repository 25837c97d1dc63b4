"""Sample players pass the check; saboteurs fail it by the name of their fault."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest
from casino.check.finding import Finding, Verdict
from casino.testing.checking import checked
from casino_agentkit import Child
from casino_player_example.styles.catalogue import SABOTEURS, STYLES
from support.casino.live import ENVIRONMENT

pytestmark = [pytest.mark.full, pytest.mark.timeout(120)]

FAULTS = {
    "illegal": {"illegal-action", "amount-missing", "amount-out-of-range", "amount-as-increment"},
    "garbage": {"not-json"},
    "disconnecting": {"closed-without-answer"},
    "slow": {"no-answer-in-time"},
}
"""The names of the faults in `questions`, by style."""


@asynccontextmanager
async def sample(style: str) -> AsyncIterator[str]:
    """Run a sample player; gives its card's URL."""
    player = await Child.start(
        style, "casino_player_example", [style, "--port", "0"], environment=ENVIRONMENT
    )
    try:
        yield player.cards[0]
    finally:
        await player.stop(timedelta(seconds=2))


def verdicts(findings: list[Finding]) -> dict[str, set[Verdict]]:
    found: dict[str, set[Verdict]] = {}
    for finding in findings:
        found.setdefault(finding.check, set()).add(finding.verdict)
    return found


@pytest.mark.parametrize("style", sorted(STYLES))
async def test_a_sample_player_is_ready_without_a_warning(style: str) -> None:
    """It refuses callers without the seat token, and answers bad input with errors."""
    async with sample(style) as url:
        findings = await checked(url)
    found = verdicts(findings)
    assert found.pop("other-games") == {Verdict.SKIPPED}
    # The time of an answer depends on the machine; everything else does not.
    assert Verdict.FAULT not in found.pop("concurrency") | found.pop("speed")
    assert set().union(*found.values()) == {Verdict.OK}, findings


async def test_a_player_of_any_game_is_asked_other_games() -> None:
    """Leduc and Kuhn poker, in the format of their specifications."""
    async with sample("generic") as url:
        findings = await checked(url)
    texts = {finding.check: finding.text for finding in findings}
    assert texts["other-games"] == "12 legal answers to 12 questions"
    assert not [each for each in findings if each.verdict is Verdict.FAULT]


@pytest.mark.parametrize("style", sorted(SABOTEURS))
async def test_a_saboteur_s_fault_is_named(style: str) -> None:
    """It gets its seat all the same."""
    async with sample(style) as url:
        findings = await checked(url, clock=timedelta(seconds=1 if style == "slow" else 10))
    assert verdicts(findings)["signup"] == {Verdict.OK}
    faults = {
        finding.name
        for finding in findings
        if finding.check == "questions" and finding.verdict is Verdict.FAULT
    }
    assert faults == FAULTS[style], findings
