"""Two lobbies on one PostgreSQL: one is active, the other takes over, and never do both write."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from support.casino.auditor import Auditor, audit_journal, audit_store
from support.casino.members import Member
from support.casino.postgres import Postgres
from support.failover.lobby_pair import ROOM, LobbyPair, lobby_pair, seconds_until_served
from support.failover.writers import WRITERS
from support.table.table_side import CONFIG

pytestmark = [pytest.mark.full, pytest.mark.timeout(200)]

READY = Path(__file__).parents[2] / "containers" / "ready.py"
SUPERSEDED = os.EX_TEMPFAIL
_REFUSED = (
    *("GET /", "GET /page/app.js", "GET /openapi.json", "GET /problems/standby", "GET /nowhere"),
    *("GET /v1/rooms", f"GET /v1/rooms/{ROOM}", "GET /v1/tables", "GET /v1/config"),
    *("GET /v1/stream", f"GET /v1/rooms/{ROOM}/stream", "GET /api/games", "GET /ui/state"),
    *("POST /v1/rooms", f"POST /v1/rooms/{ROOM}/start", f"DELETE /v1/rooms/{ROOM}"),
)

_HOLDER = """
SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


async def test_a_killed_lobby_is_followed_within_three_seconds(
    server: Postgres, tmp_path: Path
) -> None:
    """The room plays on, with every event; the killed one comes back and stands by."""
    async with lobby_pair(server, tmp_path) as casino:
        await casino.play()
        await _refuses_everything(casino.second)
        await casino.play_on(5)
        seen = Auditor(casino.http)
        await seen.read()
        await casino.first.end(signal.SIGKILL)
        took_s = await seconds_until_served(casino.second)
        _report("killed", took_s)
        assert took_s < 3
        await casino.play_on(5)
        await casino.first.start()
        assert await _readiness(casino.first) == (503, "standby")
        assert await _readiness(casino.second) == (200, "ready")
        await casino.second.end(signal.SIGKILL)  # and back again
        _report("killed", await seconds_until_served(casino.first))
        await casino.play_on(5)
        assert server.run("SELECT max(number) FROM lobby_term") == "3"
        await _is_whole(casino, seen)


async def test_a_lobby_that_was_frozen_writes_nothing_when_it_wakes(
    server: Postgres, tmp_path: Path
) -> None:
    """Another one took over; the frozen one answers no command, and ends."""
    async with lobby_pair(server, tmp_path) as casino:
        # In a thread: it waits for locks of the lobby, whose way to the database is this loop.
        await asyncio.to_thread(server.run, WRITERS)
        await casino.play()
        await casino.play_on(5)
        seen = Auditor(casino.http)
        await seen.read()
        frozen = server.run(_HOLDER)
        os.kill(casino.first.pid, signal.SIGSTOP)
        # Waits in the frozen process, and is read before it can know what has happened.
        command = asyncio.create_task(_create_room(casino.first))
        server.run(f"SELECT pg_terminate_backend({frozen})")
        took_s = await seconds_until_served(casino.second)
        _report("frozen, session ended", took_s)
        assert took_s < 3
        active = server.run(_HOLDER)
        assert active != frozen
        before = server.run(f"SELECT count(*) FROM written WHERE pid <> {active}")
        os.kill(casino.first.pid, signal.SIGCONT)
        assert await command in {"connection lost", "STANDBY", "STORE_FAILED"}
        assert await casino.first.ended() == os.EX_TEMPFAIL
        assert casino.log.counts["lobby_superseded"] == 1
        await casino.play_on(5)
        assert server.run(f"SELECT count(*) FROM written WHERE pid <> {active}") == before
        assert int(server.run(f"SELECT count(*) FROM written WHERE pid = {active}")) > 0
        assert server.run("SELECT count(*) FROM room") == "1"
        await casino.first.start()
        assert await _readiness(casino.first) == (503, "standby")
        await _is_whole(casino, seen)


async def test_a_vanished_machine_is_followed_within_fifteen_seconds(
    server: Postgres, tmp_path: Path
) -> None:
    """Its connections to the database are silent, and nothing closes them."""
    async with lobby_pair(server, tmp_path) as casino:
        await casino.play()
        await casino.play_on(5)
        seen = Auditor(casino.http)
        await seen.read()
        stream = asyncio.create_task(_follow(casino.first))
        casino.to_database["first"].silence()
        took_s = await seconds_until_served(casino.second)
        _report("vanished", took_s)
        assert took_s < 15
        assert await _readiness(casino.first) == (503, "standby")
        assert await _create_room(casino.first) == "STANDBY"
        async with asyncio.timeout(5):
            await stream  # it has ended, so that its client continues at the other lobby
        await casino.play_on(5)
        casino.to_database["first"].mend()
        assert await casino.first.ended() == os.EX_TEMPFAIL
        await casino.play_on(2)
        await _is_whole(casino, seen)
        assert server.run("SELECT count(*) FROM room") == "1"


def _report(event: str, took_s: float) -> None:
    sys.stdout.write(f"{event}: served again after {took_s:.2f} s\n")


async def _follow(lobby: Member) -> None:
    """Read a lobby's stream to its end."""
    async with (
        httpx.AsyncClient(base_url=lobby.url, timeout=60, trust_env=False) as http,
        http.stream("GET", "/v1/stream") as response,
    ):
        async for _ in response.aiter_bytes():
            pass


async def _readiness(lobby: Member) -> tuple[int, str]:
    async with httpx.AsyncClient(base_url=lobby.url, trust_env=False) as http:
        reply = await http.get("/readyz")
    return reply.status_code, reply.json()["status"]


async def _create_room(lobby: Member) -> str:
    """Send a command to a lobby itself; return the reason of its refusal."""
    async with httpx.AsyncClient(base_url=lobby.url, timeout=60, trust_env=False) as http:
        try:
            reply = await http.post("/v1/rooms", json={"roomId": "late", "config": CONFIG})
        except httpx.TransportError:
            return "connection lost"
    return str(reply.json().get("reason", reply.text))


async def _is_whole(casino: LobbyPair, seen: Auditor) -> None:
    """Stop the casino; its events, chips and journal agree, and what was seen has stayed.

    `seen` has read events of the first lobby, and goes on with those of its successors.
    """
    sessions = "SELECT count(*), count(last_sequence) FROM session"
    assert casino.server.run(sessions) == "1|0"  # still the first one
    await casino.tables.stop()  # delivers what it has
    await seen.read()
    again = Auditor(casino.http)
    await again.read()
    audit = seen.rooms[ROOM]
    assert again.rooms[ROOM].digests == audit.digests
    assert (audit.epoch, audit.cancelled) == (1, set())  # its table plays through all of it
    for lobby in (casino.first, casino.second):
        await lobby.stop()
    rooms = await audit_store(casino.database_url, [audit])
    audit_journal(casino.journal, rooms[ROOM], audit)
    assert not casino.log.faults


async def _refuses_everything(standby: Member) -> None:
    """Check that nothing reads or changes rooms; it is healthy but not ready, its card is there."""
    async with httpx.AsyncClient(base_url=standby.url, trust_env=False) as http:
        assert (await http.get("/healthz")).status_code == 200
        ready = await http.get("/readyz")
        assert (ready.status_code, ready.json()["status"]) == (503, "standby")
        assert "another lobby is active" in ready.json()["detail"]
        for request in _REFUSED:
            method, path = request.split()
            reply = await http.request(method, path)
            assert reply.status_code == 503, f"{request}: {reply.text}"
            assert reply.json()["reason"] == "STANDBY"
            assert reply.json()["type"] == "/problems/standby"
            assert reply.headers["retry-after"] == "1"
            assert reply.headers["connection"] == "close"
        assert "casino_lobby_active 0.0" in (await http.get("/metrics")).text
        assert (await http.get("/.well-known/agent-card.json")).json()["name"]
    await _refuses_a2a_calls(standby)
    assert _health(standby) == 0  # an engine must not replace it


async def _refuses_a2a_calls(lobby: Member) -> None:
    body = {
        "jsonrpc": "2.0",
        "id": "1",
        "method": "SendMessage",
        "params": {
            "message": {
                "messageId": "1",
                "role": "ROLE_USER",
                "metadata": {"urn:a2a-casino:typed-entrypoints:v1": {"skill": "listRooms"}},
                "parts": [{"data": {}, "mediaType": "application/json"}],
            }
        },
    }
    async with httpx.AsyncClient(base_url=lobby.url, trust_env=False) as http:
        reply = await http.post("/a2a/jsonrpc", json=body, headers={"A2A-Version": "1.0"})
        assert "STANDBY" in reply.text
        assert "rooms" not in reply.json().get("result", {})
        assert reply.headers["connection"] == "close"


def _health(lobby: Member) -> int:
    return subprocess.run([sys.executable, READY, str(lobby.port)], check=False).returncode
