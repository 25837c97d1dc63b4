"""Peers written from the protocol's document alone play with ours, in every role.

Ours are real processes. The peers use nothing but Python's standard library: what A2A and the
document say is all they know.
"""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import pytest
from foreign.document_peers.a2a import DocumentAgent, call, serving
from foreign.document_peers.lobby import DocumentLobby
from foreign.document_peers.player import DocumentPlayer, calling, varied
from foreign.document_peers.table import DocumentTable
from support.casino.casino import process, process_casino
from support.processes import eventually

pytestmark = [pytest.mark.full, pytest.mark.timeout(240)]

HANDS = 50
CONFIG: dict[str, Any] = {
    "startingStack": 20_000,
    "smallBlind": 1,
    "bigBlind": 2,
    "minBuyIn": 1_000,
    "maxBuyIn": 40_000,
    "maxHands": HANDS,
    "maxSeats": 3,
    "seed": "documents",  # nobody is out before the last hand
}


def two_players() -> tuple[DocumentPlayer, DocumentPlayer]:
    """Return two document players; one names its own action skill and buy-in."""
    return (
        DocumentPlayer("Plain", calling),
        DocumentPlayer("Müller's bot", varied, action_skill="decide", buy_in=10_000),
    )


def violations(*agents: DocumentAgent) -> list[str]:
    """Return what these peers have noted, at most the first ten."""
    return [violation for agent in agents for violation in agent.violations][:10]


def ask(agent: DocumentAgent, skill: str, **data: Any) -> asyncio.Future[dict[str, Any]]:
    """Call a document peer as an operator does, without blocking this loop."""
    return asyncio.ensure_future(asyncio.to_thread(call, agent.card_url, skill, data))


async def play_room(
    lobby: DocumentLobby, room_id: str, table: str, players: list[str], hands: int = HANDS
) -> list[dict[str, Any]]:
    """Play a room of a document lobby to its end; the last seat starts it. Returns its seats."""
    config = {**CONFIG, "maxHands": hands}
    await ask(lobby, "createRoom", roomId=room_id, tableAgentCardUrl=table, config=config)
    for card in players:
        await ask(lobby, "registerPlayer", roomId=room_id, agentCardUrl=card)
    room = lobby.rooms[room_id]

    async def ended() -> dict[str, Any] | None:
        summary = await asyncio.to_thread(lobby.summary, room_id)
        is_over = summary["status"] != "running" and room.hands() == hands
        return summary if is_over else None

    summary = await eventually(ended)
    assert summary is not None
    assert summary["status"] == "idle"
    kinds = [event["eventType"] for event in room.events]
    assert kinds.count("hand_started") == kinds.count("hand_completed") == hands
    assert kinds.count("player_registered") == len(players) == len(summary["players"])
    assert "table_error" not in kinds
    taken = [event["payload"] for event in room.events if event["eventType"] == "action_taken"]
    assert {payload["outcome"] for payload in taken} == {"ok"}
    assert sum(seat["stack"] for seat in summary["players"]) == room.bought_in
    seats: list[dict[str, Any]] = summary["players"]
    return seats


async def test_a_document_lobby_and_players_with_our_table_and_player() -> None:
    """Ours sits without a token, which the document does not have.

    A second room at the same table finds it reset: the seats of the first are given back.
    """
    lobby, players = DocumentLobby(), two_players()
    async with AsyncExitStack() as stack:
        stack.enter_context(serving(lobby, *players))
        table = await stack.enter_async_context(process("table", "casino_table", ["--port", "0"]))
        ours = await stack.enter_async_context(
            process("tight", "casino_player_example", ["tight", "--port", "0"])
        )
        cards = [*(player.card_url for player in players), ours.cards[0]]
        seats = await play_room(lobby, "first", table.cards[0], cards)
        await play_room(lobby, "second", table.cards[0], cards, hands=5)
    assert violations(lobby, *players) == []
    first, second = (lobby.rooms[room_id].events for room_id in ("first", "second"))
    left = [event["payload"] for event in first if event["payload"].get("kind") == "left"]
    assert {seat["playerId"]: seat["stack"] for seat in left} == {
        seat["playerId"]: seat["stack"] for seat in seats
    }
    # By our own additional field every event was taken once and in order.
    sequences = [event["sequence"] for event in (*first, *second)]
    assert sequences == list(range(1, len(sequences) + 1))
    assert all(player.asked > HANDS and player.invited == 2 for player in players)
    actions = {event["payload"].get("action") for event in first}
    assert actions >= {"check", "call", "raise", "bet"}


async def test_a_document_table_and_player_with_our_lobby_and_player() -> None:
    """Our lobby numbers the events by their arrival."""
    table, player = DocumentTable(seed=7), DocumentPlayer("Plain", calling)
    async with AsyncExitStack() as stack:
        stack.enter_context(serving(table, player))
        casino = await stack.enter_async_context(process_casino())
        config = {**CONFIG, "maxSeats": 2}
        await casino.open_room(
            {"roomId": "main", "tableAgentCardUrl": table.card_url, "config": config}
        )
        for card in (player.card_url, (await casino.sample("tight")).cards[0]):
            reply = await casino.seat(card)
            assert reply.status_code == 201, reply.text

        async def is_recorded() -> bool:
            done = table.summary()["status"] in {"idle", "error"}
            return done and len(await casino.events()) >= len(table.reported)

        await eventually(is_recorded)
        await asyncio.to_thread(table.join)
        events = await casino.events()
        room = await casino.room()
    assert violations(table, player) == []
    assert table.hands == HANDS
    reported = [
        (event["eventType"], event["message"], event["payload"]) for event in table.reported
    ]
    assert [(event.event_type, event.message, event.payload) for event in events] == reported
    assert [event.sequence for event in events] == list(range(1, len(reported) + 1))
    assert sum(table.stacks.values()) == table.brought_in == 40_000
    assert room.summary is not None
    assert [seat.display_name for seat in room.summary.players] == [
        seat["displayName"] for seat in table.seats
    ]
