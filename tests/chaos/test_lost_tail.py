"""A lobby that lost its last events gets them again from its tables."""

import asyncio
import shutil
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from support.casino.auditor import Auditor, audit_journal, audit_store
from support.failover.chaos import ChaosCasino, chaos_casino, room_of
from support.failover.chaos_plan import TABLES
from support.processes import PATIENCE_S
from support.table.disk_log import disk_log
from support.table.table_harness import TableHarness
from support.table.table_side import calling, configuring

pytestmark = [pytest.mark.long, pytest.mark.timeout(400)]

TABLE, OTHER = TABLES
ROOM = room_of(TABLE)


def keep(casino: ChaosCasino) -> Path:
    """Copy the lobby's database."""
    kept = casino.data / "kept.db"
    with (
        closing(sqlite3.connect(casino.lobby_data / "casino.db")) as now,
        closing(sqlite3.connect(kept)) as copy,
    ):
        now.backup(copy)
    return kept


async def restore(casino: ChaosCasino, kept: Path) -> None:
    """Kill the lobby, and start it with the copied database."""
    lobby = casino.members["lobby"]
    await lobby.end(signal.SIGKILL)
    await asyncio.to_thread(put_back, kept, casino.lobby_data / "casino.db")
    await lobby.start()


def put_back(kept: Path, file: Path) -> None:
    """Replace a database and its files."""
    for part in file.parent.glob(file.name + "*"):
        part.unlink()
    kept.rename(file)


async def until_idle(casino: ChaosCasino) -> None:
    """Wait until the lobby has the end of the session."""
    await until_status(casino, "idle")


async def until_status(casino: ChaosCasino, status: str) -> None:
    """Wait until the table's status that the lobby has is this."""
    async with asyncio.timeout(PATIENCE_S):
        while (room := await casino.room(ROOM)).summary is None or room.summary.status != status:
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("is_over", [False, True], ids=["during play", "after the last hand"])
async def test_lost_events_are_delivered_again(tmp_path: Path, *, is_over: bool) -> None:
    """Sequences, epoch and chips are unchanged."""
    async with chaos_casino(tmp_path, without=[OTHER]) as casino:
        await casino.open(TABLE, maxHands=60 if is_over else 100_000)
        await casino.hands(3, TABLE)
        kept = keep(casino)
        if is_over:
            await until_idle(casino)
        else:
            await casino.hands(3, TABLE)
        before = await Auditor(casino.http).read_room(ROOM)
        await restore(casino, kept)
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


async def test_a_lobby_that_lost_an_epoch_begins_a_higher_one(tmp_path: Path) -> None:
    """The table lost its journal, then the lobby lost the new epoch."""
    async with chaos_casino(tmp_path, without=[OTHER]) as casino:
        await casino.open(TABLE)
        await casino.hands(3, TABLE)
        kept = keep(casino)
        await casino.hands(20, TABLE)
        table = casino.members[TABLE]
        await table.end(signal.SIGKILL)
        await asyncio.to_thread(shutil.rmtree, casino.data / TABLE)
        await table.start()
        async with asyncio.timeout(PATIENCE_S):
            while (await casino.room(ROOM)).epoch != 2:
                await asyncio.sleep(0.05)
        await casino.hands(3, TABLE)
        await restore(casino, kept)
        async with asyncio.timeout(PATIENCE_S):
            while (await casino.room(ROOM)).epoch != 3:
                await asyncio.sleep(0.05)
        await casino.hands(3, TABLE)
        audit = await Auditor(casino.http).read_room(ROOM)
        assert not casino.log.faults
        await casino.close()
        (room,) = (await audit_store(casino.lobby_data, [audit])).values()
        audit_journal(casino.journals()[ROOM], room, audit)


async def test_configuring_again_delivers_lost_events(tmp_path: Path) -> None:
    """Also at a table where nothing new happens."""
    harness = TableHarness(disk_log(tmp_path / "log"))
    await harness.begin(calling, calling)
    await harness.play(maxHands=2)
    before = harness.lobby.events
    harness.lobby.lose_after(5)
    await harness.host.configure(configuring(epoch=1))
    await harness.until(lambda: len(harness.lobby.events) >= len(before))
    assert harness.lobby.events == before
    await harness.host.stop()


async def test_events_that_cannot_be_replayed_are_retried_slowly(tmp_path: Path) -> None:
    """Confirmed old sessions were deleted from the journal."""
    harness = TableHarness(disk_log(tmp_path / "log"))
    await harness.begin(calling, calling)
    for _ in range(5):
        await harness.play(maxHands=1)
    harness.lobby.lose_after(5)
    harness.lobby.batches.clear()
    began = harness.clock.time
    await harness.host.configure(configuring(epoch=1))
    await harness.until(lambda: len(harness.lobby.batches) >= 10)
    assert harness.clock.time - began > 10
    await harness.host.stop()


async def test_a_lobby_that_lost_deleted_sessions_begins_a_new_epoch(tmp_path: Path) -> None:
    """Its room goes on with the chips that the lobby has."""
    async with chaos_casino(tmp_path, without=[OTHER]) as casino:
        await casino.open(TABLE, maxHands=2)
        await until_idle(casino)
        kept = keep(casino)
        for sessions in range(2, 7):  # one more than makes the first ones go
            await start_again(casino)
            async with asyncio.timeout(PATIENCE_S):
                while await casino.count(TABLE) < 2 * sessions:
                    await asyncio.sleep(0.05)
            await until_idle(casino)
        await restore(casino, kept)
        async with asyncio.timeout(PATIENCE_S):
            while (await casino.room(ROOM)).epoch != 2:
                await asyncio.sleep(0.05)
        await until_status(casino, "waiting")  # the replaced table was configured
        played = await casino.count(
            TABLE
        )  # the session of two hands may end before the next reading
        await start_again(casino)
        async with asyncio.timeout(PATIENCE_S):
            while await casino.count(TABLE) < played + 2:
                await asyncio.sleep(0.05)
        audit = await Auditor(casino.http).read_room(ROOM)
        assert not casino.log.faults
        await casino.close()
        (room,) = (await audit_store(casino.lobby_data, [audit])).values()
        audit_journal(casino.journals()[ROOM], room, audit)


async def start_again(casino: ChaosCasino) -> None:
    started = await casino.http.post(f"/v1/rooms/{ROOM}/start", json={})
    assert started.status_code == 202, started.text
