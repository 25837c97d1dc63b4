"""Peers written from the protocol's document alone play with ours, in every role.

Ours are real processes. The peers use nothing but Python's standard library: what A2A and the
document say is all they know.
"""

import ast
import asyncio
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from foreign.document_peers.a2a import DocumentAgent, call, serving
from foreign.document_peers.lobby import DocumentLobby
from foreign.document_peers.player import DocumentPlayer, calling, varied
from foreign.document_peers.ranking import best
from foreign.document_peers.table import DocumentTable
from support.casino.live import live_casino, process
from support.processes import eventually

pytestmark = [pytest.mark.full, pytest.mark.timeout(240)]

HANDS = 50
PATIENCE_S = 200.0
CONFIG: dict[str, Any] = {
    "startingStack": 20_000,
    "smallBlind": 1,
    "bigBlind": 2,
    "minBuyIn": 1_000,
    "maxBuyIn": 40_000,
    "maxHands": HANDS,
    "maxSeats": 2,
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
) -> None:
    """Play a room of a document lobby to its end; the last seat starts it."""
    config = {**CONFIG, "maxHands": hands}
    await ask(lobby, "createRoom", roomId=room_id, tableAgentCardUrl=table, config=config)
    for card in players:
        await ask(lobby, "registerPlayer", roomId=room_id, agentCardUrl=card)

    async def is_over() -> bool:
        room = lobby.rooms[room_id]
        summary = await asyncio.to_thread(lobby.summary, room_id)
        return bool(summary["status"] != "running" and room.hands() == hands)

    await eventually(is_over, seconds=PATIENCE_S)


async def check_room(lobby: DocumentLobby, room_id: str, hands: int = HANDS) -> None:
    """Check the record of a room that our table played."""
    room = lobby.rooms[room_id]
    kinds = [event["eventType"] for event in room.events]
    assert kinds.count("hand_started") == kinds.count("hand_completed") == hands
    assert kinds.count("player_registered") == 2
    assert "table_error" not in kinds
    outcomes = {
        event["payload"]["outcome"] for event in room.events if event["eventType"] == "action_taken"
    }
    assert outcomes == {"ok"}
    summary = await asyncio.to_thread(lobby.summary, room_id)
    assert sum(seat["stack"] for seat in summary["players"]) == room.bought_in
    assert len(summary["players"]) == 2
    assert summary["status"] == "idle"


def check_sequences(*rooms: list[dict[str, Any]]) -> None:
    """Check by our own additional field that every event was taken once and in order."""
    events = [event for room in rooms for event in room]
    assert [event["sequence"] for event in events] == list(range(1, len(events) + 1))


async def test_document_lobby_and_players_with_our_table() -> None:
    """A second room at the same table finds it reset: the seats of the first are given back."""
    lobby, players = DocumentLobby(), two_players()
    with serving(lobby, *players):
        async with process("table", "casino_table", ["--port", "0"]) as table:
            cards = [player.card_url for player in players]
            await play_room(lobby, "first", table.cards[0], cards)
            await check_room(lobby, "first")
            first = lobby.rooms["first"]
            stacks = await asyncio.to_thread(lobby.summary, "first")
            await play_room(lobby, "second", table.cards[0], cards, hands=5)
            await check_room(lobby, "second", hands=5)
    assert violations(lobby, *players) == []
    left = [event["payload"] for event in first.events if event["payload"].get("kind") == "left"]
    assert {seat["playerId"]: seat["stack"] for seat in left} == {
        seat["playerId"]: seat["stack"] for seat in stacks["players"]
    }
    check_sequences(first.events, lobby.rooms["second"].events)
    assert all(player.asked > HANDS and player.invited == 2 for player in players)


async def test_document_lobby_with_our_table_and_players() -> None:
    """Ours sit without tokens, which the document does not have."""
    lobby = DocumentLobby()
    async with AsyncExitStack() as stack:
        stack.enter_context(serving(lobby))
        started = [
            await stack.enter_async_context(process(name, module, [*arguments, "--port", "0"]))
            for name, module, arguments in (
                ("table", "casino_table", []),
                ("caller", "casino_player_example", ["caller"]),
                ("tight", "casino_player_example", ["tight"]),
            )
        ]
        table, *players = (child.cards[0] for child in started)
        await play_room(lobby, "r", table, players)
        await check_room(lobby, "r")
    assert violations(lobby) == []
    check_sequences(lobby.rooms["r"].events)


async def test_document_table_with_our_lobby_and_players() -> None:
    """Our lobby numbers the events by their arrival."""
    table = DocumentTable(seed=7)
    async with AsyncExitStack() as stack:
        stack.enter_context(serving(table))
        casino = await stack.enter_async_context(live_casino())
        body = {"roomId": "main", "tableAgentCardUrl": table.card_url, "config": CONFIG}
        opened = await casino.http.post("/v1/rooms", json=body)
        assert opened.status_code == 201, opened.text
        for style in ("caller", "tight"):
            reply = await casino.seat((await casino.sample(style)).cards[0])
            assert reply.status_code == 201, reply.text

        async def is_recorded() -> bool:
            done = table.summary()["status"] in {"idle", "error"}
            return done and len(await casino.events()) >= len(table.reported)

        await eventually(is_recorded, seconds=PATIENCE_S)
        await asyncio.to_thread(table.join)
        events = await casino.events()
        room = await casino.room()
    assert violations(table) == []
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


async def test_document_players_with_our_lobby_and_table() -> None:
    """They get the document's fields among others."""
    players = two_players()
    async with AsyncExitStack() as stack:
        stack.enter_context(serving(*players))
        casino = await stack.enter_async_context(live_casino())
        await casino.open("main", **CONFIG)
        for player in players:
            reply = await casino.seat(player.card_url)
            assert reply.status_code == 201, reply.text

        async def is_over() -> bool:
            summary = (await casino.room()).summary
            return summary is not None and (summary.status, summary.hand_count) == ("idle", HANDS)

        await eventually(is_over, seconds=PATIENCE_S)
        events = await casino.events()
        room = await casino.room()
    assert violations(*players) == []
    assert room.summary is not None
    assert sum(seat.stack for seat in room.summary.players) == 30_000
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    taken = [event.payload or {} for event in events if event.event_type == "action_taken"]
    assert {payload["outcome"] for payload in taken} == {"ok"}
    assert len(taken) == sum(player.asked for player in players)
    assert {payload["action"] for payload in taken} >= {"check", "call", "raise", "bet"}
    assert all(player.invited == 1 for player in players)


def test_the_peers_know_no_package_of_ours() -> None:
    """They import the standard library and each other."""
    for path in Path(__file__).parent.glob("[!t]*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            for name in names:
                root = name.partition(".")[0]
                is_own = name.startswith("foreign.document_peers")
                assert is_own or root in sys.stdlib_module_names, (path.name, name)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("As2s3s4s5s", "AsAhAdAcKs"),
        ("KsKhKdKcAs", "AsAhAdKcKs"),
        ("2s4s6s8sTs", "AsKhQdJcTs"),
        ("2s3h4d5c6s", "As2h3d4c5s"),
        ("AsAhKdKcQs", "AdAcKhKsJs"),
    ],
)
def test_the_document_table_ranks_hands(better: str, worse: str) -> None:
    """As poker does."""
    ranks = [best([(text[at], text[at + 1]) for at in range(0, 10, 2)]) for text in (better, worse)]
    assert ranks[0] > ranks[1]
