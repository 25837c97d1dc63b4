"""Players that never answer, lie or send garbage lose only their own turns.

`tests/security/replies` has all hostile replies.
"""

import pytest
from support.casino.casino import ProcessCasino

pytestmark = [
    pytest.mark.system,
    pytest.mark.timeout(180),
    pytest.mark.asyncio(loop_scope="session"),
]

HOSTILE = {"drip": "timeout", "endless-body": "malformed", "under-raise": "illegal"}
"""Of the attacks of `support.attack.replies.catalogue`, how a decision ends then."""
HANDS = 4
RULES = {
    "maxHands": HANDS,
    "maxSeats": len(HOSTILE) + 2,
    "actionTimeoutMs": 5_000,  # only who never answers takes it, once
    "maxTimeouts": 1,
    "rebuy": "auto",
}


async def test_hostile_players_lose_only_their_own_turns(
    casino: ProcessCasino, callers: list[str]
) -> None:
    """The others play on, the session comes to its end, and every chip is there."""
    await casino.open("hostile", **RULES)
    agents = await casino.start("hostile", "support.attack.replies.raw_agent")
    for how in HOSTILE:
        card = f"{agents.url}/jsonrpc/seated.{how}/.well-known/agent-card.json"
        assert (await casino.seat(card, "hostile")).status_code == 201
    for card in callers:
        assert (await casino.seat(card, "hostile")).status_code == 201
    await casino.until("idle", room_id="hostile")
    audit = await casino.audit("hostile")
    assert audit.completed == set(range(1, HANDS + 1))
    outcomes = await casino.outcomes("hostile")
    for number, expected in enumerate(HOSTILE.values(), 1):
        assert outcomes[f"player-{number}"][0] == expected
        assert set(outcomes[f"player-{number}"]) == {expected, "sitting_out"}
    for number in (len(HOSTILE) + 1, len(HOSTILE) + 2):
        assert set(outcomes[f"player-{number}"]) == {"ok"}
    await casino.close("hostile")
