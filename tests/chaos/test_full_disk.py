"""A full disk pauses play and loses nothing; with space, play goes on.

`tests/table/play/test_unwritable_journal.py` has every place of a hand, without a real disk.
"""

from pathlib import Path
from typing import Any

import pytest
from support.casino.auditor import audit_journal, audit_store
from support.casino.casino import ProcessCasino, process_casino
from support.casino.members import Process
from support.casino.small_disk import MIB, small_disk
from support.processes import eventually
from support.table.table_side import CONFIG

pytestmark = [pytest.mark.long, pytest.mark.timeout(400)]

NOBODY = "http://127.0.0.1:1"
RULES: dict[str, Any] = {"maxHands": 10_000_000, "maxSeats": 3, "rebuy": "auto"}


async def begin(casino: ProcessCasino) -> None:
    """Let three players play in a room."""
    await casino.open(**RULES)
    for card in await casino.samples("random", 3):
        assert (await casino.seat(card)).status_code == 201
    await casino.hands(3)


async def until_refused(table: Process) -> None:
    """Wait until a table says that there is no space, which is its last word then."""

    async def is_refused() -> bool:
        return any("disk-full" in line or "journal-failed" in line for line in table.log)

    await eventually(is_refused)


async def test_a_table_waits_for_space_and_loses_nothing(tmp_path: Path) -> None:
    """One that plays, and one that is started on a full disk."""
    lobby, data = tmp_path / "lobby", tmp_path / "table"
    with small_disk(data) as disk:
        async with process_casino(CASINO_LOBBY_DATA=str(lobby)) as casino:
            table = await casino.host_tables(1, CASINO_TABLE_DATA=str(data))
            await begin(casino)
            disk.fill(left=4 * MIB)
            await until_refused(table)
            disk.clear()
            await casino.hands(3)

            await table.kill()
            disk.fill(left=0)
            await table.start()
            await until_refused(table)
            disk.clear()
            await casino.hands(3)
            audit = await casino.audit()
            assert (audit.epoch, audit.cancelled) == (1, set())
            await table.stop()
            await casino.lobby.stop()
            (room,) = (await audit_store(lobby, [audit])).values()
            audit_journal(data / "tables-1-of-1.journal", room, audit)


async def test_a_lobby_with_a_full_disk_refuses_commands_and_events(tmp_path: Path) -> None:
    """Its tables keep their events; nothing is lost."""
    lobby = tmp_path / "lobby"
    with small_disk(lobby) as disk:
        async with process_casino(CASINO_LOBBY_DATA=str(lobby)) as casino:
            table = await casino.host_tables(1, CASINO_TABLE_DATA=str(tmp_path / "table"))
            await begin(casino)
            disk.fill(left=0)
            body = {"roomId": "another", "tableAgentCardUrl": NOBODY, "config": CONFIG}

            async def is_refused() -> bool:
                reply = await casino.http.post("/v1/rooms", json=body)
                kind = reply.json()["type"]
                return (reply.status_code, kind) == (503, "/problems/not-kept")

            await eventually(is_refused)
            assert (await casino.room()).state != "failed"
            disk.clear()
            await casino.hands(3)
            audit = await casino.audit()
            assert (audit.epoch, audit.cancelled) == (1, set())
            await table.stop()
            await casino.lobby.stop()
            await audit_store(lobby, [audit])
