"""Processes that exchange typed calls import neither the SDK nor a database; a slow call does.

All are real processes: what they have imported is what `sys.modules` has in them.
"""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import httpx
import pytest
from casino_agentkit.protocol import CARD_PATH, EXTENSION, REST_PATH, RPC_PATH
from support.attack.raw_servers import agent
from support.casino.casino import Casino, process
from support.casino.members import Process
from support.processes import eventually

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


class ReportingService:
    """A running service process, which tells at a signal which modules it has imported."""

    def __init__(self, child: Process, file: Path) -> None:
        self.child = child
        self._file = file

    async def imported(self, packages: set[str]) -> set[str]:
        self._file.unlink(missing_ok=True)
        os.kill(self.child.pid, signal.SIGUSR1)

        async def is_written() -> bool:
            return self._file.exists()

        await eventually(is_written)
        return packages & set(self._file.read_text().split())


@asynccontextmanager
async def reporting_service(
    module: str, *arguments: str, **settings: str
) -> AsyncIterator[ReportingService]:
    """Run a service on a free port; `settings` are added to its environment."""
    with TemporaryDirectory() as directory:
        file = Path(directory) / "modules"
        command = [str(file), module, *arguments, "--port", "0"]
        running = process(module, "support.joined.module_report", command, settings=settings)
        async with running as child:
            yield ReportingService(child, file)


class Played(NamedTuple):
    """A casino that has played a session, by its processes."""

    lobby: ReportingService
    table: ReportingService
    player: ReportingService
    casino: Casino


@asynccontextmanager
async def casino_of(**settings: str) -> AsyncIterator[Played]:
    """Run a lobby, a process of four tables and one of three players, and play a session."""
    players = reporting_service("casino_player_example", "caller", CASINO_PLAYER_COUNT="3")
    lobby_process = reporting_service("casino_lobby", **settings)
    table_process = reporting_service("casino_table", CASINO_TABLE_COUNT="4")
    async with (
        players as player,
        lobby_process as lobby,
        table_process as table,
        httpx.AsyncClient(base_url=lobby.child.url, trust_env=False) as http,
    ):
        casino = Casino(http)
        await play(casino, "first", table.child.cards[0], list(player.child.cards[:2]))
        yield Played(lobby, table, player, casino)


async def play(casino: Casino, room: str, table: str, players: list[str]) -> None:
    """Play a session of two hands at a table to its end."""
    await casino.play(room, "texas-holdem", players, table=table, maxHands=2)
    assert len((await casino.audit(room)).completed) == 2


async def test_what_processes_import_follows_from_what_they_are_asked() -> None:
    """Whole hands need nothing: cards, signup, decisions, events; the SDK comes with slow calls.

    While it is imported others are answered; then a player with another binding plays.
    """
    async with casino_of(**MEMORY) as played, httpx.AsyncClient(trust_env=False) as http:
        for service in (played.player, played.table, played.lobby):
            assert await service.imported(UNUSED) == set()
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
        assert await played.lobby.imported({"a2a"}) == {"a2a"}


async def test_a_file_needs_no_driver_of_a_server(tmp_path: Path) -> None:
    """A lobby on SQLite imports what it needs of a database; migrations only for a new one."""
    found = []
    for _ in range(2):
        settings = {"CASINO_LOBBY_DATA": str(tmp_path)}
        async with reporting_service("casino_lobby", **settings) as lobby:
            found.append(await lobby.imported(SDK | DATABASES))
    assert found == [{"sqlalchemy", "aiosqlite", "alembic"}, {"sqlalchemy", "aiosqlite"}]


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
