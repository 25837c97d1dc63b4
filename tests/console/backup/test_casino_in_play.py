"""A casino that is backed up while it plays, lost, and restored: what was acknowledged is there."""

import asyncio
import contextlib
import os
import shutil
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest
from casino_contracts import EventPage, TableEvent
from support.casino.auditor import Auditor, RoomAudit, audit_journal, audit_store
from support.failover.chaos import ChaosCasino, chaos_casino, room_of
from support.failover.chaos_plan import LAUNCHED, STYLES, TABLES
from support.processes import PATIENCE_S, is_gone

pytestmark = [pytest.mark.full, pytest.mark.timeout(240)]

TABLE, OTHER = TABLES
PLAYED = (TABLE, LAUNCHED)
ROOMS = tuple(map(room_of, PLAYED))
THINKING = {style: {"CASINO_PLAYER_THINK": "8ms"} for style in STYLES}


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


async def acknowledged(casino: ChaosCasino) -> dict[str, list[TableEvent]]:
    """Return the events of all rooms in their first epoch, as the lobby has acknowledged them."""
    events: dict[str, list[TableEvent]] = {}
    for room_id in ROOMS:
        events[room_id] = []
        while True:
            after = len(events[room_id])
            url = f"/v1/rooms/{room_id}/events?after={after}&limit=5000&epoch=1"
            reply = (await casino.http.get(url)).raise_for_status()
            page = EventPage.model_validate_json(reply.content).events
            if not page:
                break
            events[room_id] += page
    return events


def is_beginning(first: Mapping[str, list[Any]], second: Mapping[str, list[Any]]) -> bool:
    """Return whether the second has all events of the first, at the same places."""
    return all(second[room_id][: len(events)] == events for room_id, events in first.items())


async def lose_everything(casino: ChaosCasino) -> None:
    """Kill the lobby, the table that it launched, and the other table."""
    lobby = casino.members["lobby"]
    launched = psutil.Process(lobby.pid).children()
    await lobby.end(signal.SIGKILL)
    for table in launched:
        with contextlib.suppress(psutil.NoSuchProcess):
            table.kill()
    await casino.members[TABLE].end(signal.SIGKILL)
    async with asyncio.timeout(PATIENCE_S):
        while not all(is_gone(table.pid) for table in launched):
            await asyncio.sleep(0.02)


async def start_on(casino: ChaosCasino, data: Path) -> None:
    """Start the killed processes, the lobby on other data."""
    casino.lobby_data = data
    casino.members["lobby"].environment["CASINO_LOBBY_DATA"] = str(data)
    await casino.members["lobby"].start()
    await casino.members[TABLE].start()


async def test_a_casino_in_sqlite_is_restored(tmp_path: Path) -> None:
    """Also from the first of two backups; no hand is cancelled, since no journal is behind."""
    first, second = tmp_path / "first.tar.gz", tmp_path / "second.tar"
    async with chaos_casino(tmp_path, without=[OTHER], more=THINKING) as casino:
        for table in PLAYED:
            await casino.open(table)
        await casino.hands(2, *PLAYED)
        before_first = await acknowledged(casino)
        await command("backup", first, CASINO_LOBBY_DATA=str(casino.lobby_data))
        await casino.hands(2, *PLAYED)
        before_second = await acknowledged(casino)
        await command("backup", second, CASINO_LOBBY_DATA=str(casino.lobby_data))
        await casino.hands(3, *PLAYED)
        await lose_everything(casino)
        await asyncio.to_thread(shutil.rmtree, casino.lobby_data)

        # The first one: the store alone, with every event and chip.
        await command("restore", first, CASINO_LOBBY_DATA=str(tmp_path / "old"))
        audits = [RoomAudit(room_id) for room_id in ROOMS]
        await audit_store(tmp_path / "old", audits)
        for audit in audits:
            assert audit.sequence >= len(before_first[audit.room_id])

        # The second one: the casino plays on.
        await command("restore", second, CASINO_LOBBY_DATA=str(tmp_path / "fresh"))
        await start_on(casino, tmp_path / "fresh")
        await casino.hands(3, *PLAYED)
        after = await acknowledged(casino)
        assert is_beginning(before_first, before_second)
        assert is_beginning(before_second, after)
        auditor = Auditor(casino.http)
        await auditor.read()
        assert not casino.log.faults
        await casino.close()
        rooms = await audit_store(casino.lobby_data, auditor.rooms.values())
        for room_id in ROOMS:
            audit = auditor.rooms[room_id]
            assert (audit.epoch, audit.cancelled) == (1, set())
            audit_journal(casino.journals()[room_id], rooms[room_id], audit)
