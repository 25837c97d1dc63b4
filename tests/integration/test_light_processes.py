"""Processes that exchange typed calls import neither the SDK nor a database; a slow call does.

All are real processes: what they have imported is what `sys.modules` has in them.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from casino_agentkit.protocol import CARD_PATH, EXTENSION, REST_PATH, RPC_PATH
from support.attack.raw_servers import agent
from support.casino.live import ProcessCasino
from support.casino.reporting_service import ReportingService, reporting_service

pytestmark = pytest.mark.full

SDK = {"a2a", "google.protobuf", "grpc", "opentelemetry"}
DATABASES = {"sqlalchemy", "alembic", "asyncpg", "aiosqlite"}
UNUSED = SDK | DATABASES | {"cryptography", "httpx", "numpy", "jsonschema", "yaml", "rich"}
MEMORY = {"CASINO_LOBBY_DATABASE": "memory"}
VERSION = {"A2A-Version": "1.0"}
INVITATION = {
    "casinoName": "Casino",
    "tableId": "t",
    "roomId": "r",
    "minBuyIn": 40,
    "maxBuyIn": 400,
    "smallBlind": 1,
    "bigBlind": 2,
}
RULES = {"maxHands": 2, "maxSeats": 2}


class Played(NamedTuple):
    """A casino that has played a session, by its processes."""

    lobby: ReportingService
    table: ReportingService
    player: ReportingService
    casino: ProcessCasino


@asynccontextmanager
async def casino_of(room: str = "first", **settings: str) -> AsyncIterator[Played]:
    """Run a lobby, a process of four tables and one of three players, and play a session."""
    players = reporting_service("casino_player_example", "caller", CASINO_PLAYER_COUNT="3")
    lobby_process = reporting_service("casino_lobby", **settings)
    table_process = reporting_service("casino_table", CASINO_TABLE_COUNT="4")
    async with (
        players as player,
        AsyncExitStack() as after,
        lobby_process as lobby,
        AsyncExitStack() as before,
        table_process as table,
    ):
        casino = ProcessCasino(lobby.child, before, after)
        await play(casino, room, table.child.cards[0], player.child.cards[:2])
        yield Played(lobby, table, player, casino)


async def play(casino: ProcessCasino, room: str, table: str, players: Any) -> None:
    """Play a session of two hands at a table to its end."""
    body = {"roomId": room, "tableAgentCardUrl": table}
    rules = {"startingStack": 200, "smallBlind": 1, "bigBlind": 2, "minBuyIn": 40, "maxBuyIn": 400}
    opened = await casino.http.post("/v1/rooms", json={**body, "config": rules | RULES})
    assert opened.is_success, opened.text
    for card in players:
        seated = await casino.seat(card, room)
        assert seated.is_success, seated.text
    await casino.until("idle", room_id=room)
    assert "hand_completed" in {event.event_type for event in await casino.events(room)}


async def test_typed_calls_need_neither_the_sdk_nor_a_database() -> None:
    """Whole hands are played without them: cards, signup, decisions, events."""
    async with casino_of(**MEMORY) as played:
        assert await played.player.imported(UNUSED) == set()
        assert await played.table.imported(UNUSED) == set()
        assert await played.lobby.imported(UNUSED) == set()


async def test_a_file_needs_no_driver_of_a_server(tmp_path: Path) -> None:
    """A lobby on SQLite imports what it needs of a database; migrations only for a new one."""
    needed = {"sqlalchemy", "aiosqlite"}
    async with casino_of(CASINO_LOBBY_DATA=str(tmp_path)) as played:
        assert await played.lobby.imported(SDK | DATABASES) == {*needed, "alembic"}
    async with casino_of("second", CASINO_LOBBY_DATA=str(tmp_path)) as played:
        assert await played.lobby.imported(SDK | DATABASES) == needed


async def test_slow_calls_import_the_sdk_while_others_are_answered() -> None:
    """In the player and in the table; every binding answers then."""
    async with casino_of(**MEMORY) as played, httpx.AsyncClient(trust_env=False) as http:
        calls = {
            played.player: ("signup", INVITATION),
            played.table: ("tableSummary", {}),
        }
        for service, (skill, data) in calls.items():
            base = service.child.cards[0].removesuffix(CARD_PATH)
            slow = asyncio.create_task(called_by_http_json(http, base, skill, data))
            for path in ("/healthz", "/metrics", base.removeprefix(service.child.url) + CARD_PATH):
                assert (await http.get(service.child.url + path)).status_code == 200
            assert not slow.done()
            assert (await slow)["message"]["role"] == "ROLE_AGENT"
            assert (await called_by_a2a_03(http, base, skill, data))["role"] == "agent"
            assert await service.imported({"a2a", "google.protobuf"}) == {"a2a", "google.protobuf"}


async def test_a_player_with_another_binding_plays_at_such_a_table() -> None:
    """Lobby and table import the SDK's client for it."""
    async with casino_of(**MEMORY) as played:
        usual, other = played.player.child.cards[0], played.player.child.cards[2]

        def card(_origin: str, _is_card: object) -> dict[str, Any]:
            url = other.removesuffix(CARD_PATH) + REST_PATH
            interface = {"url": url, "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"}
            return {
                "name": "Other",
                "description": "Speaks HTTP+JSON alone.",
                "version": "1",
                "supportedInterfaces": [interface],
                "capabilities": {"extensions": [{"uri": EXTENSION, "params": {}}]},
                "skills": [{"id": "signup"}, {"id": "act"}],
            }

        async with agent(card) as (origin, _):
            await play(played.casino, "second", played.table.child.cards[1], [usual, origin])
        assert await played.table.imported({"a2a"}) == {"a2a"}
        assert await played.lobby.imported({"a2a"}) == {"a2a"}


async def called_by_http_json(
    http: httpx.AsyncClient, base: str, skill: str, data: dict[str, Any]
) -> dict[str, Any]:
    """Call an entrypoint over HTTP+JSON; return the result."""
    part = {"data": data, "mediaType": "application/json"}
    message = {
        "messageId": "m",
        "role": "ROLE_USER",
        "parts": [part],
        "metadata": {"skillId": skill},
    }
    url = f"{base}{REST_PATH}/message:send"
    reply = await http.post(url, json={"message": message}, headers=VERSION, timeout=60)
    assert reply.status_code == 200, reply.text
    result: dict[str, Any] = reply.json()
    return result


async def called_by_a2a_03(
    http: httpx.AsyncClient, base: str, skill: str, data: dict[str, Any]
) -> dict[str, Any]:
    """Call an entrypoint as clients of A2A 0.3 do; return the message."""
    message = {
        "kind": "message",
        "messageId": "m",
        "role": "user",
        "parts": [{"kind": "data", "data": data}],
        "metadata": {"skillId": skill},
    }
    call = {"jsonrpc": "2.0", "id": "1", "method": "message/send", "params": {"message": message}}
    reply = await http.post(base + RPC_PATH, json=call, timeout=60)
    result: dict[str, Any] = reply.json()["result"]
    return result
