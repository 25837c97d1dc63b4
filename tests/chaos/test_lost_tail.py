"""A lobby whose last moments were lost with the power: its tables have kept what they told it."""

import asyncio
import shutil
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from casino_table.journal.disk_log import DiskLog
from support.casino.auditor import Auditor, audit_journal, audit_store
from support.casino.chaos import DEADLINE_S, TABLES, ChaosCasino, chaos_casino, room_of
from support.table.table_harness import TableHarness
from support.table.table_side import calling, configuring

pytestmark = [pytest.mark.processes, pytest.mark.timeout(400)]

TABLE, OTHER = TABLES
ROOM = room_of(TABLE)


def keep(casino: ChaosCasino) -> Path:
    """Copy the lobby's database as it stands at this moment."""
    kept = casino.data / "kept.db"
    with (
        closing(sqlite3.connect(casino.lobby_data / "casino.db")) as now,
        closing(sqlite3.connect(kept)) as copy,
    ):
        now.backup(copy)
    return kept


async def lose_what_came_since(casino: ChaosCasino, kept: Path) -> None:
    """Kill the lobby, and let it come back as it was."""
    lobby = casino.members["lobby"]
    await lobby.end(signal.SIGKILL)
    await asyncio.to_thread(put_back, kept, casino.lobby_data / "casino.db")
    await lobby.start()


def put_back(kept: Path, file: Path) -> None:
    """Replace a database and all that belongs to it."""
    for part in file.parent.glob(file.name + "*"):
        part.unlink()
    kept.rename(file)


async def until_idle(casino: ChaosCasino) -> None:
    """Wait until the lobby knows that the session is over."""
    async with asyncio.timeout(DEADLINE_S):
        while (room := await casino.room(ROOM)).summary is None or room.summary.status != "idle":
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("is_over", [False, True], ids=["during play", "after the last hand"])
async def test_what_a_lobby_lost_is_told_again(tmp_path: Path, *, is_over: bool) -> None:
    """The same events: sequences, epoch and chips are as if nothing had been."""
    async with chaos_casino(tmp_path, without=[OTHER]) as casino:
        await casino.open(TABLE, maxHands=60 if is_over else 100_000)
        await casino.hands(3, TABLE)
        kept = keep(casino)
        if is_over:
            await until_idle(casino)
        else:
            await casino.hands(3, TABLE)
        before = await Auditor(casino.http).read_room(ROOM)
        await lose_what_came_since(casino, kept)
        if is_over:
            await until_idle(casino)
        else:
            await casino.hands(len(before.completed), TABLE)
        audit = await Auditor(casino.http).read_room(ROOM)
        assert audit.epoch == 1
        assert not audit.cancelled
        if is_over:
            assert audit == before
        await casino.close()
        (room,) = (await audit_store(casino.lobby_data, [audit])).values()
        audit_journal(casino.journals()[ROOM], room, audit)


async def test_a_lobby_that_lost_an_epoch_begins_one_above_it(tmp_path: Path) -> None:
    """Its table lost its journal, then the lobby that it did: chips are as the lobby knows them."""
    async with chaos_casino(tmp_path, without=[OTHER]) as casino:
        await casino.open(TABLE)
        await casino.hands(3, TABLE)
        kept = keep(casino)
        await casino.hands(20, TABLE)
        table = casino.members[TABLE]
        await table.end(signal.SIGKILL)
        await asyncio.to_thread(shutil.rmtree, casino.data / TABLE)
        await table.start()
        async with asyncio.timeout(DEADLINE_S):
            while (await casino.room(ROOM)).epoch != 2:
                await asyncio.sleep(0.05)
        await casino.hands(3, TABLE)
        await lose_what_came_since(casino, kept)
        async with asyncio.timeout(DEADLINE_S):
            while (await casino.room(ROOM)).epoch != 3:
                await asyncio.sleep(0.05)
        await casino.hands(3, TABLE)
        audit = await Auditor(casino.http).read_room(ROOM)
        assert not casino.log.faults
        await casino.close()
        (room,) = (await audit_store(casino.lobby_data, [audit])).values()
        audit_journal(casino.journals()[ROOM], room, audit)


async def test_a_lobby_that_looks_for_its_table_is_told_what_it_lost(tmp_path: Path) -> None:
    """Also where nothing new happens at the table that would show that something is missing."""
    evening = TableHarness()
    evening.host = evening.host_with(log=DiskLog(tmp_path / "log"))
    await evening.begin(calling, calling)
    await evening.play(maxHands=2)
    before = evening.lobby.events
    evening.lobby._known = dict(list(evening.lobby._known.items())[:5])
    await evening.host.configure(configuring())
    while len(evening.lobby.events) < len(before):
        await asyncio.sleep(0)
    assert evening.lobby.events == before
    await evening.host.stop()


async def test_a_lobby_that_lost_what_is_kept_no_more_is_not_hammered(tmp_path: Path) -> None:
    """Old sessions leave the journal once they are confirmed: then it is told again at leisure."""
    evening = TableHarness()
    evening.host = evening.host_with(log=DiskLog(tmp_path / "log"))
    await evening.begin(calling, calling)
    for _ in range(5):
        await evening.play(maxHands=1)
    evening.lobby._known = dict(list(evening.lobby._known.items())[:5])
    evening.lobby.batches.clear()
    began = evening.clock.time
    await evening.host.configure(configuring())
    while len(evening.lobby.batches) < 10:
        await asyncio.sleep(0)
    assert evening.clock.time - began > 10
    await evening.host.stop()


async def test_a_lobby_put_back_to_what_is_kept_no_more_goes_on(tmp_path: Path) -> None:
    """The table's old sessions have gone: its room goes on with the chips that the lobby knows."""
    async with chaos_casino(tmp_path, without=[OTHER]) as casino:
        await casino.open(TABLE, maxHands=2)
        await until_idle(casino)
        kept = keep(casino)
        for sessions in range(2, 7):  # one more than makes the first ones go
            await start_again(casino)
            async with asyncio.timeout(DEADLINE_S):
                while await casino.count(TABLE) < 2 * sessions:
                    await asyncio.sleep(0.05)
            await until_idle(casino)
        await lose_what_came_since(casino, kept)
        async with asyncio.timeout(DEADLINE_S):
            while (await casino.room(ROOM)).epoch != 2:
                await asyncio.sleep(0.05)
        await until_idle(casino)
        await start_again(casino)
        await casino.hands(2, TABLE)
        audit = await Auditor(casino.http).read_room(ROOM)
        assert not casino.log.faults
        await casino.close()
        (room,) = (await audit_store(casino.lobby_data, [audit])).values()
        audit_journal(casino.journals()[ROOM], room, audit)


async def start_again(casino: ChaosCasino) -> None:
    """Begin another session."""
    started = await casino.http.post(f"/v1/rooms/{ROOM}/start", json={})
    assert started.status_code == 202, started.text
