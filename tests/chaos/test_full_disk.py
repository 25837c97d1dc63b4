"""A full disk pauses play and loses nothing; with space, play goes on.

`tests/table/play/test_unwritable_journal.py` has every place of a hand, without a real disk.
"""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.casino.auditor import audit_journal, audit_store
from support.casino.casino import ProcessCasino, process_casino
from support.casino.members import Process
from support.processes import eventually
from support.requirements import unavailable
from support.table.table_side import CONFIG

pytestmark = [pytest.mark.long, pytest.mark.timeout(400)]

MIB = 2**20
NOBODY = "http://127.0.0.1:1"
RULES: dict[str, Any] = {"maxHands": 10_000_000, "maxSeats": 3, "rebuy": "auto"}


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


@contextmanager
def small_disk(path: Path) -> Iterator[SmallDisk]:
    """Mount a small disk; without the right to, the test is skipped, in CI it fails."""
    path.mkdir(parents=True)
    command = ["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", str(path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        unavailable(f"a small disk cannot be mounted here: {done.stderr.strip()}")
    try:
        yield SmallDisk(path)
    finally:
        subprocess.run(["umount", "--lazy", path], check=True)


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
