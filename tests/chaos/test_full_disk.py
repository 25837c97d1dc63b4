"""A full disk stops play between hands and says so; when there is room again, play goes on."""

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
from support.casino.chaos import DEADLINE_S, TABLES, ChaosCasino, chaos_casino, room_of
from support.table.table_side import CONFIG, SOON

pytestmark = [pytest.mark.processes, pytest.mark.timeout(400)]

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
        """Take all of it but so many bytes."""
        free = os.statvfs(self._path)
        wanted = free.f_bavail * free.f_frsize - left
        with self._filler.open("ab", buffering=0) as file, contextlib.suppress(OSError):
            while wanted > 0:
                wanted -= file.write(bytes(min(wanted, MIB)))
            while not left:  # to the last byte
                file.write(bytes(4096))

    def clear(self) -> None:
        """Make room again."""
        self._filler.unlink()


@pytest.fixture
def mount() -> Iterator[Mount]:
    """Mount small disks; skip the test where that is not allowed, but not in CI."""
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
    """Return what the lobby shows to the room's table, None while there is no room."""
    with closing(sqlite3.connect(casino.lobby_data / "casino.db")) as database:
        for (content,) in database.execute("SELECT content FROM room"):
            room = Room.from_json(json.loads(content))
            if room.room_id == ROOM:
                return room.key().table
    return None


async def until(casino: ChaosCasino, *states: str) -> TableSummary:
    """Ask the table itself until it says so."""
    client = AgentClient()
    try:
        async with asyncio.timeout(DEADLINE_S):
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


async def is_right_to_the_end(casino: ChaosCasino, auditor: Auditor) -> None:
    """Audit everything, the books last."""
    await casino.hands(3, TABLE)
    audit = await auditor.read_room(ROOM)
    assert audit.epoch == 1
    assert not audit.cancelled
    assert not casino.log.faults
    await casino.close()
    (room,) = (await audit_store(casino.lobby_data, [audit])).values()
    audit_journal(casino.journals()[ROOM], room, audit)


async def test_a_table_stops_between_hands(tmp_path: Path, mount: Mount) -> None:
    """While a whole hand might not fit any more."""
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
        await is_right_to_the_end(casino, auditor)


async def test_a_disk_that_is_full_at_once_loses_nothing(tmp_path: Path, mount: Mount) -> None:
    """Wherever that finds the table: between hands, or within one, which then waits."""
    disk = mount(tmp_path / TABLE)
    async with chaos_casino(tmp_path, without=[OTHER]) as casino:
        await casino.open(TABLE)
        await casino.hands(3, TABLE)
        disk.fill(left=0)
        await until(casino, "disk-full", "journal-failed")
        disk.clear()
        await is_right_to_the_end(casino, Auditor(casino.http))


async def test_a_table_started_on_a_full_disk_waits_for_room(tmp_path: Path, mount: Mount) -> None:
    """It was killed, and its disk filled meanwhile: it comes back where it was."""
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
        await is_right_to_the_end(casino, Auditor(casino.http))


async def test_a_lobby_without_room_takes_nothing_and_tells_so(
    tmp_path: Path, mount: Mount
) -> None:
    """Its tables keep what they have to tell, and pause in the end; nothing is lost."""
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
        await is_right_to_the_end(casino, Auditor(casino.http))
