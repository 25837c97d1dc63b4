"""Two lobbies on one PostgreSQL: one is active, the other takes over, and never do both write."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import httpx
import pytest
from support.casino.auditor import Auditor, audit_journal, audit_store
from support.casino.members import Member
from support.casino.postgres import Postgres
from support.failover.lobby_group import LONG, LobbyGroup, lobby_group
from support.processes import eventually
from support.table.table_side import CONFIG

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(300)]

ROOM = "main"
READY = Path(__file__).parents[2] / "containers" / "ready.py"
HOLDER = """
SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
"""The session of the lobby that is active: it writes."""
NOTE_WRITERS = """
CREATE TABLE written (pid integer, name text);
CREATE FUNCTION note_writer() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO written VALUES (pg_backend_pid(), TG_TABLE_NAME); RETURN NULL;
END $$;
DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables
        WHERE schemaname = 'public' AND tablename <> 'written' LOOP
        EXECUTE format('CREATE TRIGGER note_writer AFTER INSERT OR UPDATE OR DELETE ON %I'
            ' FOR EACH STATEMENT EXECUTE FUNCTION note_writer()', name);
    END LOOP;
END $$
"""
"""Notes the session of every statement that writes, in the transaction of the statement."""


async def test_a_standby_takes_over_and_a_frozen_lobby_writes_nothing(
    server: Postgres, tmp_path: Path
) -> None:
    """The first lobby is frozen, and comes back; the second one is killed then.

    The room plays on through all of it, in one epoch. Nothing is lost, doubled or cancelled.
    """
    async with lobby_group(server, tmp_path, 1, lobbies=2, begun=1, are_active=False) as casino:
        first, second = casino.lobbies
        await second.start()
        assert await _readiness(second) == (503, "standby")
        assert await _health(second) == 0  # an engine must not replace it
        server.run(NOTE_WRITERS)
        await casino.fill(ROOM, LONG, is_full=True)
        await casino.plays_on(ROOM)
        async with httpx.AsyncClient(base_url=casino.shared.url, trust_env=False) as http:
            seen = Auditor(http)
            await seen.read()
            await _freeze(casino, first, second)
            await first.start()
            assert await _readiness(first) == (503, "standby")
            casino.live = [first]
            await second.end(signal.SIGKILL)
            await _is_ready(first)
            await casino.plays_on(ROOM)
            assert server.run("SELECT max(number) FROM lobby_term") == "3"
            await casino.read_to_the_end()
            await _is_whole(casino, http, seen)


async def _freeze(casino: LobbyGroup, first: Member, second: Member) -> None:
    """Freeze the active lobby, and let it wake when the other one has taken over."""
    server = casino.server
    frozen = server.run(HOLDER)
    os.kill(first.pid, signal.SIGSTOP)
    casino.live = [second]
    # Waits in the frozen process, and is read before it can know what has happened.
    command = asyncio.create_task(_create_room(first))
    server.run(f"SELECT pg_terminate_backend({frozen})")
    await _is_ready(second)
    active = server.run(HOLDER)
    assert active != frozen
    others = f"SELECT count(*) FROM written WHERE pid <> {active}"
    before = server.run(others)
    os.kill(first.pid, signal.SIGCONT)
    assert await command in {"connection lost", "STANDBY", "STORE_FAILED"}
    assert await first.ended() == os.EX_TEMPFAIL
    assert casino.log.counts["lobby_superseded"] == 1
    await casino.plays_on(ROOM)
    assert server.run(others) == before
    assert int(server.run(f"SELECT count(*) FROM written WHERE pid = {active}")) > 0
    assert server.run("SELECT count(*) FROM room") == "1"


async def _health(lobby: Member) -> int:
    asking = await asyncio.create_subprocess_exec(sys.executable, READY, str(lobby.port))
    return await asking.wait()


async def _is_ready(lobby: Member) -> None:
    async def is_ready() -> bool:
        return await _readiness(lobby) == (200, "ready")

    await eventually(is_ready)


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


async def _is_whole(casino: LobbyGroup, http: httpx.AsyncClient, seen: Auditor) -> None:
    """Stop the casino; its events, chips and journal agree, and what was seen has stayed.

    `seen` has read events of the first lobby, and goes on with those of its successors.
    """
    sessions = "SELECT count(*), count(last_sequence) FROM session"
    assert casino.server.run(sessions) == "1|0"  # still the first one
    await casino.stop(*casino.tables)  # they deliver what they have
    await seen.read()
    again = Auditor(http)
    await again.read()
    audit = seen.rooms[ROOM]
    assert again.rooms[ROOM].digests == audit.digests
    assert (audit.epoch, audit.cancelled) == (1, set())  # its table plays through all of it
    await casino.stop(*casino.lobbies)
    rooms = await audit_store(casino.database_url, [audit])
    audit_journal(casino.journal, rooms[ROOM], audit)
    assert not casino.log.faults
