"""A casino that is backed up while it plays, lost, and restored: what was acknowledged is there."""

import asyncio
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from casino_contracts import TableEvent
from casino_lobby.tables.journal_directory import journal_directory
from support.casino.auditor import Auditor, RoomAudit, audit_journal, audit_store
from support.casino.casino import ProcessCasino, process_casino
from support.processes import is_gone, wait_for

pytestmark = [pytest.mark.full, pytest.mark.timeout(240)]

HOSTED, LAUNCHED = ROOMS = ("hosted", "launched")
"""Their tables are a process of its own, and one of the lobby's."""
RULES = {"maxHands": 10_000_000, "maxSeats": 3, "rebuy": "auto"}
JOURNAL = "tables-1-of-1.journal"


async def command(*arguments: str | Path, **environment: str) -> str:
    """Run a command as an operator does; return what it writes, or fail."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "casino", *arguments),
        env={**os.environ, **environment},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    assert process.returncode == 0, output
    return output.decode()


async def hands(casino: ProcessCasino, more: int) -> None:
    """Wait until a number of further hands is completed in both rooms."""
    await asyncio.gather(*(casino.hands(more, room_id) for room_id in ROOMS))


async def acknowledged(casino: ProcessCasino) -> dict[str, list[TableEvent]]:
    """Return the events of both rooms in their first epoch, as the lobby has acknowledged them."""
    return {room_id: await casino.events(room_id, epoch=1) for room_id in ROOMS}


def is_beginning(first: Mapping[str, list[Any]], second: Mapping[str, list[Any]]) -> bool:
    """Return whether the second has all events of the first, at the same places."""
    return all(second[room_id][: len(events)] == events for room_id, events in first.items())


async def test_a_casino_in_sqlite_is_restored(tmp_path: Path) -> None:
    """Also from the first of two backups; no hand is cancelled, since no journal is behind."""
    first, second = tmp_path / "first.tar.gz", tmp_path / "second.tar"
    data, fresh = tmp_path / "lobby", tmp_path / "fresh"
    async with process_casino(CASINO_LOBBY_DATA=str(data)) as casino:
        table = await casino.host_tables(1, CASINO_TABLE_DATA=str(tmp_path / "table"))
        players = await casino.sample("random", CASINO_PLAYER_COUNT="3", CASINO_PLAYER_THINK="8ms")
        for room_id in ROOMS:
            await casino.open(room_id, **RULES)
            for card in players.cards:
                assert (await casino.seat(card, room_id)).status_code == 201
        await hands(casino, 2)
        before_first = await acknowledged(casino)
        await command("backup", first, CASINO_LOBBY_DATA=str(data))
        await hands(casino, 2)
        before_second = await acknowledged(casino)
        await command("backup", second, CASINO_LOBBY_DATA=str(data))
        await hands(casino, 3)
        launched = await casino.launched_table()
        await casino.lobby.kill()
        await table.kill()
        await asyncio.to_thread(wait_for, lambda: is_gone(launched.pid))
        await asyncio.to_thread(shutil.rmtree, data)

        # The first one: the store alone, with every event and chip.
        await command("restore", first, CASINO_LOBBY_DATA=str(tmp_path / "old"))
        audits = [RoomAudit(room_id) for room_id in ROOMS]
        await audit_store(tmp_path / "old", audits)
        for audit in audits:
            assert audit.sequence >= len(before_first[audit.room_id])

        # The second one: the casino plays on.
        await command("restore", second, CASINO_LOBBY_DATA=str(fresh))
        casino.lobby.environment["CASINO_LOBBY_DATA"] = str(fresh)
        await casino.lobby.start()
        await table.start()
        await hands(casino, 3)
        after = await acknowledged(casino)
        assert is_beginning(before_first, before_second)
        assert is_beginning(before_second, after)
        auditor = Auditor(casino.http)
        await auditor.read()
        await table.stop()
        await casino.lobby.stop()
        rooms = await audit_store(fresh, auditor.rooms.values())
        places = {
            HOSTED: tmp_path / "table",
            LAUNCHED: journal_directory(fresh / "tables", LAUNCHED),
        }
        for room_id, place in places.items():
            audit = auditor.rooms[room_id]
            assert (audit.epoch, audit.cancelled) == (1, set())
            audit_journal(place / JOURNAL, rooms[room_id], audit)
