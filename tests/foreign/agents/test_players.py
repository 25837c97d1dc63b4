"""Agents of other frameworks, which know nothing of the casino, take a seat and play."""

from collections import Counter
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from support.casino.auditor import Auditor
from support.casino.live import ProcessCasino, live_casino
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


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def casino() -> AsyncIterator[ProcessCasino]:
    """Run a casino whose lobby launches the tables."""
    some_are_prepared()
    async with live_casino() as casino:
        yield casino


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def samples(casino: ProcessCasino) -> list[str]:
    """Start two sample players; returns their cards."""
    return await casino.samples("tight", 2)


@pytest.mark.parametrize("program", AGENTS.values(), ids=AGENTS)
async def test_a_foreign_agent_plays(
    casino: ProcessCasino, samples: list[str], program: tuple[str, ...]
) -> None:
    """Fifty hands: each of its decisions is its own, at the first attempt, and chips add up."""
    room_id = "-".join(program)
    async with foreign_agent(*program) as card:
        await casino.play(room_id, "texas-holdem", [card, *samples], maxHands=HANDS)
        outcomes: Counter[str] = Counter()
        for event in await casino.events(room_id):
            taken = event.payload or {}
            if event.event_type == "action_taken" and taken["playerId"] == "player-1":
                outcomes[taken["outcome"]] += 1
    assert set(outcomes) == {"ok"}, outcomes
    assert outcomes["ok"] > HANDS
    audit = await Auditor(casino.http).read_room(room_id)
    assert len(audit.completed) == HANDS
    assert sum(audit.stacks.values()) == audit.bought
