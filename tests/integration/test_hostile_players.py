"""Players that hang, lie or answer garbage lose only their own turns."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
import pytest_asyncio
from casino_agentkit import AgentClient, RemoteRefused
from casino_contracts import PlayerSeat, RoomSnapshot
from support.attack.replies.raw_process import raw_agents
from support.casino.live import ProcessCasino, live_casino, process
from support.table.table_side import seating

pytestmark = [pytest.mark.full, pytest.mark.asyncio(loop_scope="module")]

CASES = {
    "hang": {"timeout"},
    "late": {"timeout"},
    "garbage": {"malformed"},
    "prose": {"malformed"},
    "http-500": {"malformed"},
    "ten-megabytes": {"malformed"},
    "endless": {"malformed"},
    "illegal-kind": {"malformed"},
    "illegal-action": {"illegal"},
    "under-raise": {"illegal"},
    "non-integer-amount": {"illegal"},
    "text-amount": {"malformed"},
    "negative-amount": {"malformed"},
    "huge-amount": {"malformed"},
    "list": {"malformed"},
    "close": {"disconnected"},
    "wrong-id": {"malformed"},
    "rpc-error": {"malformed"},
    "deep": {"malformed"},
}
RAW_CASES = {
    ("rest", "drip"): "timeout",
    ("v03", "drip"): "timeout",
    ("rest", "gzip-bomb"): "malformed",
    ("jsonrpc", "nested-255"): "malformed",
    ("jsonrpc", "nested-1000"): "malformed",
    ("jsonrpc", "line-breaks"): "malformed",
    ("jsonrpc", "endless-informational"): "malformed",
    ("v03", "many-parts"): "malformed",
}
"""Replies on raw sockets, by binding."""
HANDS = 6
SOON = timedelta(seconds=5)
RULES: dict[str, Any] = {
    "maxHands": HANDS,
    "maxSeats": 3,
    "actionTimeoutMs": 1000,
    "maxTimeouts": 2,
    "rebuy": "auto",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def casino_and_players() -> AsyncIterator[tuple[ProcessCasino, list[str]]]:
    """Run a lobby, a process of tables, and two honest players."""
    async with live_casino() as casino:
        await casino.host_tables(len(CASES) + len(RAW_CASES) + 2)
        yield casino, await casino.samples("random", 2)


async def outcomes(casino: ProcessCasino, room_id: str) -> dict[str, list[str]]:
    """Return the outcomes of each player's decisions."""
    found: dict[str, list[str]] = {}
    for event in await casino.events(room_id):
        if event.event_type == "action_taken" and event.payload:
            found.setdefault(event.payload["playerId"], []).append(event.payload["outcome"])
    return found


async def check_chips(casino: ProcessCasino, room: RoomSnapshot, bought_in: int = 600) -> None:
    """Check that the stacks are what was bought."""
    events = [event.payload or {} for event in await casino.events(room.room_id)]
    rebought = sum(payload["amount"] for payload in events if payload.get("kind") == "rebought")
    assert room.summary is not None
    assert sum(seat.stack for seat in room.summary.players) == bought_in + rebought


@pytest.mark.parametrize("how", CASES)
async def test_a_hostile_player_loses_only_its_own_turns(
    casino_and_players: tuple[ProcessCasino, list[str]], how: str
) -> None:
    """With a real process; the session is played to its end."""
    casino, honest = casino_and_players
    async with process(how, "support.attack.hostile_player", [how]) as hostile:
        await plays_on(casino, how, hostile.cards[0], honest, CASES[how])


@pytest.mark.parametrize(("binding", "attack"), RAW_CASES)
async def test_hostile_replies_of_any_binding_lose_only_their_turns(
    casino_and_players: tuple[ProcessCasino, list[str]], binding: str, attack: str
) -> None:
    """With bytes that no correct server sends."""
    casino, honest = casino_and_players
    with raw_agents() as url:
        card = f"{url}/{binding}/seated.{attack}/.well-known/agent-card.json"
        expected = {RAW_CASES[binding, attack]}
        await plays_on(casino, f"{binding}-{attack}", card, honest, expected)


async def plays_on(
    casino: ProcessCasino, room_id: str, hostile: str, honest: list[str], expected: set[str]
) -> None:
    """Check that a session with a hostile player is played to its end."""
    await casino.open(room_id, **RULES)
    for card in (hostile, *honest):
        seated = await casino.seat(card, room_id)
        assert seated.status_code == 201, seated.text
    room = await casino.until("idle", "error", room_id=room_id)
    assert room.summary is not None
    assert (room.summary.status, room.summary.hand_count) == ("idle", HANDS)
    await check_chips(casino, room)
    events = await casino.events(room_id)
    assert "sat_out" in {(event.payload or {}).get("kind") for event in events}
    found = await outcomes(casino, room_id)
    assert set(found["player-2"] + found["player-3"]) == {"ok"}
    # A seat that sits out is not called, and its turns are no time-outs.
    assert set(found["player-1"]) == expected | {"sitting_out"}
    assert set(found["player-1"][:2]) == expected


async def test_a_wrong_advertised_url_is_refused_with_the_reason(
    casino_and_players: tuple[ProcessCasino, list[str]],
) -> None:
    """The problem has the address of the card, the advertised one, and the fix."""
    casino, _ = casino_and_players
    async with process("wrong-url", "support.attack.hostile_player", ["wrong-url"]) as hostile:
        await casino.open("wrong-url", **RULES)
        reply = await casino.seat(hostile.cards[0], "wrong-url")
    assert reply.status_code == 502
    detail = reply.json()["detail"]
    assert "advertises http://127.0.0.1:1/rpc" in detail
    assert "advertise an address that others can reach" in detail


async def test_a_player_cannot_register_at_a_table_directly(
    casino_and_players: tuple[ProcessCasino, list[str]],
) -> None:
    """The table takes players from its room's lobby only, and plays on."""
    casino, honest = casino_and_players
    async with process("wrong-url", "support.attack.hostile_player", ["wrong-url"]) as hostile:
        room = await casino.open("joins", **RULES)
        for card in honest:
            await casino.seat(card, "joins")
        client = AgentClient()
        table = await client.resolve(room.table_agent_card_url, timeout=SOON)
        joining = seating(9, hostile.cards[0])
        with pytest.raises(RemoteRefused) as refused:
            await table.call("registerPlayer", joining, PlayerSeat, timeout=SOON)
        assert refused.value.reason == "UNAUTHORIZED"
        await client.close()
        await casino.http.post("/v1/rooms/joins/start", json={})
        room = await casino.until("idle", room_id="joins")
    await check_chips(casino, room, bought_in=400)
    assert "p9" not in await outcomes(casino, "joins")
