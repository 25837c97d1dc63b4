"""A wall clock that jumps changes timestamps only."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

from casino_lobby.store import SqlStore
from casino_play.turn import Clock
from casino_table.app import build_app
from casino_table.settings import TableSettings
from support.casino.auditor import Auditor
from support.casino.casino_side import CasinoHarness, Operator
from support.table.table_side import CONFIG, calling

HANDS = 12


class JumpingClock(Clock):
    """A wall clock that jumps back by one hour, then forward by three; `now` goes on."""

    def __init__(self) -> None:
        self._asked = 0

    def timestamp(self) -> str:
        self._asked += 1
        hours = {0: 0, 1: -1, 2: 2}[self._asked // 40 % 3]
        return (datetime.now(UTC) + timedelta(hours=hours)).isoformat(timespec="milliseconds")


async def test_a_clock_jump_changes_no_order(tmp_path: Path) -> None:
    """Deadlines hold, sequences are gapless, events keep their order."""
    network = CasinoHarness(1, SqlStore(f"sqlite+aiosqlite:///{tmp_path / 'casino.db'}"))
    network.tables = build_app(
        TableSettings(data=tmp_path),
        "http://tables",
        transport=network.transport,
        clock=JumpingClock(),
    )
    network.serve("tables", network.tables)
    async with network.tables.running(), network.lobby.running():
        operator = Operator(network)
        body = {
            "roomId": "r1",
            "tableAgentCardUrl": "http://tables",
            "config": {**CONFIG, "maxHands": HANDS, "maxSeats": 3, "rebuy": "auto"},
        }
        assert (await operator.post("/v1/rooms", body)).status_code == 201
        for name in ("anna", "bert", "carl"):
            network.player(name, calling)
            assert (await operator.seat(name)).status_code == 201
        while (room := await operator.room()).summary is None or room.summary.status != "idle":
            await asyncio.sleep(0.01)
        auditor = Auditor(operator.http)
        audit = await auditor.read_room("r1")
        assert len(audit.completed) == HANDS
        page = (await operator.http.get("/v1/rooms/r1/events?limit=5000")).json()["events"]
        times = [event["timestamp"] for event in page]
        assert times != sorted(times)
        assert {event["payload"].get("outcome", "ok") for event in page} == {"ok"}
