"""Agents that speak only the invoke profile, in plain Node and plain Python, use our casino.

They were written from what is known of the original casino; none imports a package of ours.
"""

import re
from collections import defaultdict
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import pytest
import pytest_asyncio
from casino_contracts import TableEvent
from support.casino.casino import ProcessCasino, process_casino
from support.players.foreign import plain_player

pytestmark = [
    pytest.mark.full,
    pytest.mark.timeout(240),
    pytest.mark.asyncio(loop_scope="module"),
]

HANDS = 100


class Running(NamedTuple):
    """A casino, and the cards of the two players."""

    casino: ProcessCasino
    players: list[str]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running() -> AsyncIterator[Running]:
    """Run a casino with hosted tables, and one player of each language."""
    async with (
        process_casino() as casino,
        plain_player("invoke_node/agent.mjs") as node,
        plain_player("invoke_python/agent.py") as python,
    ):
        yield Running(casino, [node, python])


def raises_of(events: list[TableEvent]) -> list[tuple[int, float]]:
    """Return what players said they add, and what they added by the events.

    A total of the events counts a betting round; blinds count to the first one.
    """
    bets: defaultdict[Any, float] = defaultdict(float)
    raises = []
    for event in events:
        payload: dict[str, Any] = event.payload or {}
        if event.event_type == "hand_started":
            bets.clear()
            for post in payload["posted"]:
                bets[post["playerId"], "preflop"] += post["amount"]
        if event.event_type != "action_taken":
            continue
        key = payload["playerId"], payload["bettingRound"]
        before, total = bets[key], payload.get("amount")
        if total is not None:
            bets[key] = total
        said = re.fullmatch(r"adding (\d+)", payload.get("message", ""))
        if said and total is not None:
            raises.append((int(said[1]), total - before))
    return raises


async def test_players_in_plain_node_and_python_play(running: Running) -> None:
    """A hundred hands: every decision is their own, every raise the one they meant."""
    casino, players = running
    await casino.play(
        "played",
        "texas-holdem",
        players,
        startingStack=1_000,
        minBuyIn=1_000,
        maxBuyIn=1_000,
        smallBlind=5,
        bigBlind=10,
        maxHands=HANDS,
    )
    events = await casino.events("played")
    taken = [event.payload or {} for event in events if event.event_type == "action_taken"]
    assert {payload["outcome"] for payload in taken} == {"ok"}
    assert len({payload["playerId"] for payload in taken}) == 2
    kinds = {payload["action"] for payload in taken}
    assert kinds >= {"check", "call", "bet", "raise", "fold"}
    raises = raises_of(events)
    assert len(raises) > HANDS / 4
    assert all(said == added for said, added in raises), raises
    audit = await casino.audit("played")
    assert len(audit.completed) == HANDS
    assert sum(audit.stacks.values()) == audit.bought
