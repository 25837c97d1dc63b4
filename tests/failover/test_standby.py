"""Two lobbies on one PostgreSQL: one is active, the other takes over, and never do both write.

Groups of active lobbies are proved in `tests/lobby/store/group` and `tests/lobby/peers`.
"""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.casino.auditor import Auditor, audit_journal, audit_store
from support.casino.casino import Casino
from support.casino.members import Log, Member
from support.casino.postgres import NoPostgres, Postgres, postgres
from support.fault_proxy import FaultProxy
from support.processes import PATIENCE_S, eventually
from support.requirements import unavailable
from support.table.table_side import CONFIG

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(300)]

READY = Path(__file__).parents[2] / "containers" / "ready.py"
RULES = {**CONFIG, "maxHands": 10_000_000, "maxSeats": 2, "rebuy": "auto"}
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


@pytest.fixture
def server() -> Iterator[Postgres]:
    """Run a PostgreSQL server; without its program tests are skipped, in CI they fail."""
    try:
        with postgres() as running:
            yield running
    except NoPostgres as missing:
        unavailable(str(missing))


class Standby:
    """Two lobbies, a table and two players; `front` leads new connections to one lobby."""

    def __init__(self, server: Postgres, data: Path) -> None:
        self.log = Log(data / "log")
        self.database_url = server.empty_url()
        self.journal = data / "tables" / "tables-1-of-1.journal"
        self.lobbies = [self._member(f"lobby-{number}", "casino_lobby") for number in (1, 2)]
        self.front = FaultProxy(self.lobbies[0].port)
        for lobby in self.lobbies:
            lobby.environment |= {
                "CASINO_LOBBY_DATA": str(data / lobby.name),
                "CASINO_LOBBY_DATABASE": self.database_url,
                "CASINO_LOBBY_LAUNCH_TABLES": "false",
                "CASINO_LOBBY_PUBLIC_URL": self.front.url,
                # No table is lost, however busy the machine is.
                "CASINO_LOBBY_TABLE_SILENCE": "120s",
            }
        self.table = self._member("table", "casino_table")
        self.table.environment |= {
            "CASINO_TABLE_LOBBY_URL": self.front.url,
            "CASINO_TABLE_ANNOUNCE_EVERY": "2s",
            "CASINO_TABLE_DATA": str(self.journal.parent),
        }
        self.players = [
            self._member(style, "casino_player_example", style) for style in ("caller", "random")
        ]
        for player in self.players:
            player.environment["CASINO_PLAYER_THINK"] = "10ms"
        self.http = httpx.AsyncClient(base_url=self.front.url, timeout=PATIENCE_S, trust_env=False)
        self.casino = Casino(self.http)

    def _member(self, name: str, module: str, *arguments: str) -> Member:
        return Member(name, module, arguments, {}, self.log)

    async def open_room(self) -> None:
        """Open a room, once the table is known, and seat both players, who begin."""
        body: dict[str, Any] = {"roomId": "main", "config": RULES}

        async def is_opened() -> bool:
            return (await self.http.post("/v1/rooms", json=body)).is_success

        await eventually(is_opened)
        for player in self.players:
            assert (await self.casino.seat(player.url)).status_code == 201

    async def takes_over(self, lobby: Member) -> None:
        """Wait until a lobby is the active one, and lead new connections to it."""

        async def is_ready() -> bool:
            return await readiness(lobby) == (200, "ready")

        await eventually(is_ready)
        self.front.target = lobby.port


@pytest.fixture
async def standby(server: Postgres, tmp_path: Path) -> AsyncIterator[Standby]:
    made = Standby(server, tmp_path)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(made.http.aclose)
        await made.front.start()
        stack.push_async_callback(made.front.stop)
        for member in (made.lobbies[0], *made.players, made.table):
            await member.start()
            stack.push_async_callback(member.kill)
        stack.push_async_callback(made.lobbies[1].kill)
        await made.lobbies[1].start()
        yield made


async def test_a_standby_takes_over_and_a_frozen_lobby_writes_nothing(
    server: Postgres, standby: Standby
) -> None:
    """The first lobby is frozen, and comes back; the second one is killed then.

    The room plays on through all of it, in one epoch. Nothing is lost, doubled or cancelled.
    """
    first, second = standby.lobbies
    assert await readiness(second) == (503, "standby")
    asking = await asyncio.create_subprocess_exec(sys.executable, READY, str(second.port))
    assert await asking.wait() == 0, "an engine must not replace it"
    server.run(NOTE_WRITERS)
    await standby.open_room()
    await standby.casino.hands(2)
    seen = Auditor(standby.http)
    await seen.read()

    frozen = server.run(HOLDER)
    first.freeze()
    # Waits in the frozen process, and is read before it can know what has happened.
    command = asyncio.create_task(create_room(first))
    server.run(f"SELECT pg_terminate_backend({frozen})")
    await standby.takes_over(second)
    active = server.run(HOLDER)
    assert active != frozen
    others = f"SELECT count(*) FROM written WHERE pid <> {active}"
    before = server.run(others)
    first.thaw()
    assert await command in {"connection lost", "STANDBY", "STORE_FAILED"}
    assert await first.ended() == os.EX_TEMPFAIL
    assert standby.log.counts["lobby_superseded"] == 1
    await standby.casino.hands(2)
    assert server.run(others) == before
    assert int(server.run(f"SELECT count(*) FROM written WHERE pid = {active}")) > 0
    assert server.run("SELECT count(*) FROM room") == "1"

    await first.start()
    assert await readiness(first) == (503, "standby")
    await second.end(signal.SIGKILL)
    await standby.takes_over(first)
    await standby.casino.hands(2)
    assert server.run("SELECT term FROM lobby_member WHERE number = 0") == "3"

    await standby.table.stop()  # it delivers what it has
    await seen.read()
    again = Auditor(standby.http)
    await again.read()
    audit = seen.rooms["main"]
    assert again.rooms["main"].digests == audit.digests, "what was seen has stayed"
    assert (audit.epoch, audit.cancelled) == (1, set())
    await first.stop()
    rooms = await audit_store(standby.database_url, [audit])
    audit_journal(standby.journal, rooms["main"], audit)
    assert not standby.log.faults


async def readiness(lobby: Member) -> tuple[int, str]:
    async with httpx.AsyncClient(base_url=lobby.url, trust_env=False) as http:
        reply = await http.get("/readyz")
    return reply.status_code, reply.json()["status"]


async def create_room(lobby: Member) -> str:
    """Send a command to a lobby itself; return the reason of its refusal."""
    async with httpx.AsyncClient(base_url=lobby.url, timeout=PATIENCE_S, trust_env=False) as http:
        try:
            reply = await http.post("/v1/rooms", json={"roomId": "late", "config": CONFIG})
        except httpx.TransportError:
            return "connection lost"
    return str(reply.json().get("reason", reply.text))
