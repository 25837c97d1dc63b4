"""Agents of other frameworks, which know nothing of the casino, pass `casino check` and play."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from casino.check.findings import Verdict
from casino.testing.table import checked
from support.author.broken_bots import of
from support.casino.casino import ProcessCasino, process_casino
from support.players.foreign import foreign_agent, some_are_prepared

pytestmark = [
    pytest.mark.foreign,
    pytest.mark.full,
    pytest.mark.asyncio(loop_scope="module"),
]

HANDS = 50
AGENTS = {
    "pydantic-ai": ("pydantic_ai",),
    "google-adk": ("google_adk",),
    "JavaScript SDK, message": ("javascript", "message"),
    "JavaScript SDK, task": ("javascript", "task"),
    "a2a-sdk 0.3, message": ("sdk_0_3", "message"),
    "a2a-sdk 0.3, task": ("sdk_0_3", "task"),
    "gRPC only, by address": ("grpc_only", "address"),
    "gRPC only, by URL": ("grpc_only", "url"),
    "mode-checking": ("mode_checking",),
}
CHECKED = ("pydantic-ai", "google-adk", "JavaScript SDK, message", "a2a-sdk 0.3, message",
           "gRPC only, by address")  # fmt: skip
"""One of each framework."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def casino() -> AsyncIterator[ProcessCasino]:
    """Run a casino whose lobby launches the tables."""
    some_are_prepared()
    async with process_casino() as casino:
        yield casino


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def samples(casino: ProcessCasino) -> list[str]:
    """Start two sample players; returns their cards."""
    return await casino.samples("tight", 2)


@pytest.mark.parametrize("name", AGENTS)
async def test_a_foreign_agent_plays(casino: ProcessCasino, samples: list[str], name: str) -> None:
    """Fifty hands: each of its decisions is its own, at the first attempt, and chips add up."""
    program = AGENTS[name]
    room_id = "-".join(program)
    async with foreign_agent(*program) as card:
        if name in CHECKED:
            findings = await checked(card)
            assert not [each for each in findings if each.verdict is Verdict.FAULT]
            assert ("questions", "") in of(Verdict.OK, findings)
        await casino.play(room_id, "texas-holdem", [card, *samples], maxHands=HANDS)
    outcomes = (await casino.outcomes(room_id))["player-1"]
    assert set(outcomes) == {"ok"}, outcomes
    assert len(outcomes) > HANDS
    audit = await casino.audit(room_id)
    assert len(audit.completed) == HANDS
    assert sum(audit.stacks.values()) == audit.bought
