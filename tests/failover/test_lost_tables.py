"""Rooms of announced tables that are killed, ended or stopped play on at other tables."""

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest
from support.casino.auditor import Auditor, audit_store
from support.failover.fleet_casino import FleetCasino, fleet_casino

pytestmark = [pytest.mark.full]

SILENCE_S = 5.0
BLOWS = {"killed": signal.SIGKILL, "ended": signal.SIGTERM, "stopped": signal.SIGSTOP}
WITHIN_S = SILENCE_S + 2


@pytest.mark.parametrize("has_journals", [False, True])
async def test_rooms_of_lost_tables_play_on(tmp_path: Path, *, has_journals: bool) -> None:
    """Three tables are lost at once; at most the running hand is cancelled, no session ends."""
    async with fleet_casino(tmp_path, SILENCE_S, has_journals=has_journals) as casino:
        struck = [casino.add_tables(name) for name in BLOWS]
        await asyncio.gather(*(table.start() for table in struck))
        victims = {room_id: await casino.open(room_id) for room_id in BLOWS}
        assert sorted(table.name for table in victims.values()) == sorted(BLOWS)
        await casino.add_tables("spare", count=len(BLOWS)).start()
        await asyncio.gather(*(casino.plays_on(room_id) for room_id in BLOWS))

        struck_at = time.monotonic()
        for room_id, blow in BLOWS.items():
            os.kill(victims[room_id].pid, blow)
        dealt = await asyncio.gather(*(casino.deals_in(room_id, epoch=2) for room_id in BLOWS))
        took = {room_id: round(at - struck_at, 2) for room_id, at in zip(BLOWS, dealt, strict=True)}
        print(f"journals: {has_journals}; s until the next hand: {took}")  # noqa: T201
        assert max(took.values()) <= WITHIN_S, took
        assert took["ended"] < SILENCE_S, "the table said goodbye: nobody waits for its silence"

        os.kill(victims["stopped"].pid, signal.SIGCONT)
        await asyncio.gather(*(casino.plays_on(room_id, more=5) for room_id in BLOWS))
        for room_id in BLOWS:
            await check(casino, room_id)
        assert not casino.log.faults
        auditor = Auditor(casino.http)
        audits = [await auditor.read_room(room_id) for room_id in BLOWS]
        assert max(len(audit.cancelled) for audit in audits) <= 1
        await casino.lobby.stop()
        await audit_store(casino.lobby_data, audits)


async def check(casino: FleetCasino, room_id: str) -> None:
    """Check that a room runs at a spare table in its second epoch, in its first session."""
    room = await casino.room(room_id)
    assert (room.epoch, casino.process_of(room).name) == (2, "spare")
    assert room.summary is not None
    assert room.summary.status == "running"
    for epoch in (1, 2):
        page = await casino.http.get(f"/v1/rooms/{room_id}/events?epoch={epoch}&limit=5000")
        kinds = [(event.get("payload") or {}).get("kind") for event in page.json()["events"]]
        assert "finished" not in kinds
