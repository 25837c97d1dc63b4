"""Agents of other frameworks pass `casino check`."""

import pytest
from casino.check.finding import Verdict
from casino.testing.checking import checked
from support.author.broken_bots import of
from support.players.foreign import foreign_agent, some_are_prepared

pytestmark = [pytest.mark.foreign, pytest.mark.full]

AGENTS = {
    "pydantic-ai": ("pydantic_ai",),
    "google-adk": ("google_adk",),
    "JavaScript SDK": ("javascript", "message"),
    "a2a-sdk 0.3": ("sdk_0_3", "message"),
    "gRPC only": ("grpc_only", "address"),
}


@pytest.mark.parametrize("program", AGENTS.values(), ids=AGENTS)
async def test_a_foreign_agent_is_ready(program: tuple[str, ...]) -> None:
    """It has no fault, and all sixty questions are answered."""
    some_are_prepared()
    async with foreign_agent(*program) as card:
        findings = await checked(card)
    faults = [each for each in findings if each.verdict is Verdict.FAULT]
    assert not faults
    assert ("questions", "") in of(Verdict.OK, findings)
