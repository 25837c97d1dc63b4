"""A full disk pauses play between hands; with space, play goes on."""

import asyncio
import contextlib
import json
import os
import signal
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from casino_agentkit import AgentClient
from casino_contracts import NoInput, TableSummary
from casino_lobby.domain.room import Room
from support.casino.auditor import Auditor, audit_journal, audit_store
from support.failover.chaos import ChaosCasino, chaos_casino, room_of
from support.failover.chaos_plan import TABLES
from support.processes import PATIENCE_S
from support.table.table_side import CONFIG, SOON

pytestmark = [pytest.mark.long, pytest.mark.timeout(400)]

TABLE, OTHER = TABLES
ROOM = room_of(TABLE)
MIB = 2**20
Mount = Callable[[Path], "SmallDisk"]


class SmallDisk:
    """A file system of 32 MiB, which can be filled."""

    def __init__(self, path: Path) -> None:
        self._filler = path / "somebody-else's"
        self._path = path

    def fill(self, left: int) -> None:
        """Use all space but a number of bytes."""
        free = os.statvfs(self._path)
        wanted = free.f_bavail * free.f_frsize - left
        with self._filler.open("ab", buffering=0) as file, contextlib.suppress(OSError):
            while wanted > 0:
                wanted -= file.write(bytes(min(wanted, MIB)))
            while not left:  # to the last byte
                file.write(bytes(4096))

    def clear(self) -> None:
        """Free the used space."""
        self._filler.unlink()


@pytest.fixture
def mount() -> Iterator[Mount]:
    """Mount small disks; without the right to, the test is skipped, in CI it fails."""
    mounted: list[Path] = []

    def mounting(path: Path) -> SmallDisk:
        path.mkdir(parents=True)
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", path],
            check=False,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            why = f"a small disk cannot be mounted here: {done.stderr.strip()}"
            if os.environ.get("CI"):
                pytest.fail(why)
            pytest.skip(why)
        mounted.append(path)
        return SmallDisk(path)

    try:
        yield mounting
    finally:
        for path in mounted:
            subprocess.run(["umount", "--lazy", path], check=True)


def right_of(casino: ChaosCasino) -> str | None:
    """Return the token that the lobby has for the room's table, None without a room."""
    with closing(sqlite3.connect(casino.lobby_data / "casino.db")) as database:
        for (content,) in database.execute("SELECT content FROM room"):
            room = Room.from_json(json.loads(content))
            if room.room_id == ROOM:
                return room.key().table
    return None


async def until(casino: ChaosCasino, *states: str) -> TableSummary:
    """Wait until the table has one of these states."""
    client = AgentClient()
    try:
        async with asyncio.timeout(PATIENCE_S):
            table = await client.resolve(casino.members[TABLE].url, timeout=SOON)
            while True:
                summary = await table.call(
                    "tableSummary", NoInput(), TableSummary, timeout=SOON, token=right_of(casino)
                )
                if summary.state in states:
                    return summary
                await asyncio.sleep(0.05)
    finally:
        await client.close()


async def check_everything(casino: ChaosCasino, auditor: Auditor) -> None:
    """Check events, store and journal after further hands."""
    await casino.hands(3, TABLE)
    audit = await auditor.read_room(ROOM)
    assert audit.epoch == 1
    assert not audit.cancelled
    assert not casino.log.faults
    await casino.close()
    (room,) = (await audit_store(casino.lobby_data, [audit])).values()
    audit_journal(casino.journals()[ROOM], room, audit)


async def test_a_nearly_full_disk_pauses_between_hands(tmp_path: Path, mount: Mount) -> None:
    """When a whole hand might not fit."""
    disk = mount(tmp_path / TABLE)
    async with chaos_casino(tmp_path, without=[OTHER]) as casino:
        await casino.open(TABLE)
        await casino.hands(3, TABLE)
        disk.fill(left=4 * MIB)
        summary = await until(casino, "disk-full")
        assert summary.message == "paused: the journal's disk is full"
        auditor = Auditor(casino.http)
        while (await auditor.read_room(ROOM)).sequence != summary.sequence:
            await asyncio.sleep(0.05)
        assert auditor.rooms[ROOM].running is None
        assert len(auditor.rooms[ROOM].completed) == summary.hand_count
        assert await until(casino, "disk-full") == summary
        disk.clear()
        await check_everything(casino, auditor)


async def test_a_disk_that_is_full_at_once_loses_nothing(tmp_path: Path, mount: Mount) -> None:
    """Between hands or within one, which then waits."""
    disk = mount(tmp_path / TABLE)
    async with chaos_casino(tmp_path, without=[OTHER]) as casino:
        await casino.open(TABLE)
        await casino.hands(3, TABLE)
        disk.fill(left=0)
        await until(casino, "disk-full", "journal-failed")
        disk.clear()
        await check_everything(casino, Auditor(casino.http))


async def test_a_table_started_on_a_full_disk_waits_for_space(tmp_path: Path, mount: Mount) -> None:
    """It resumes where it was killed."""
    disk = mount(tmp_path / TABLE)
    async with chaos_casino(tmp_path, without=[OTHER]) as casino:
        await casino.open(TABLE)
        await casino.hands(3, TABLE)
        table = casino.members[TABLE]
        await table.end(signal.SIGKILL)
        disk.fill(left=0)
        await table.start()
        await until(casino, "disk-full", "journal-failed")
        disk.clear()
        await check_everything(casino, Auditor(casino.http))


async def test_a_lobby_with_a_full_disk_refuses_commands_and_events(
    tmp_path: Path, mount: Mount
) -> None:
    """Its tables keep their events, and pause in the end; nothing is lost."""
    disk = mount(tmp_path / "lobby")
    more = {TABLE: {"CASINO_TABLE_MAX_UNDELIVERED": "200"}}
    async with chaos_casino(tmp_path, without=[OTHER], more=more) as casino:
        await casino.open(TABLE)
        await casino.hands(3, TABLE)
        disk.fill(left=0)
        await until(casino, "paused")
        body = {"roomId": "another", "tableAgentCardUrl": "http://127.0.0.1:1", "config": CONFIG}
        refused = await casino.http.post("/v1/rooms", json=body)
        assert (refused.status_code, refused.json()["type"]) == (503, "/problems/not-kept")
        assert (await casino.room(ROOM)).state != "failed"
        disk.clear()
        await check_everything(casino, Auditor(casino.http))
