"""A wall clock that jumps: timestamps are as wrong as it is, and nothing else is."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

from casino_lobby.store import SqlStore
from casino_table.app import build_app
from casino_table.clock import Clock
from casino_table.settings import TableSettings
from support.casino.auditor import Auditor
from support.casino.casino_side import CasinoHarness, Operator
from support.table.table_side import CONFIG, calling

HANDS = 12


class JumpingClock(Clock):
    """Its wall clock is put back an hour, and later on by three; its other one goes on."""

    def __init__(self) -> None:
        self._asked = 0

    def timestamp(self) -> str:
        """Return a wall clock that is put right again and again."""
        self._asked += 1
        hours = {0: 0, 1: -1, 2: 2}[self._asked // 40 % 3]
        return (datetime.now(UTC) + timedelta(hours=hours)).isoformat(timespec="milliseconds")


async def test_a_clock_jump_changes_no_order(tmp_path: Path) -> None:
    """Deadlines hold, sequences are gapless, the lobby takes and shows events as they happened."""
    town = CasinoHarness(1, SqlStore(f"sqlite+aiosqlite:///{tmp_path / 'casino.db'}"))
    town.tables = build_app(
        TableSettings(data=tmp_path),
        "http://tables",
        transport=town.transport,
        clock=JumpingClock(),
    )
    town.serve("tables", town.tables)
    async with town.tables.running(), town.lobby.running():
        operator = Operator(town)
        body = {
            "roomId": "r1",
            "tableAgentCardUrl": "http://tables",
            "config": {**CONFIG, "maxHands": HANDS, "maxSeats": 3, "rebuy": "auto"},
        }
        assert (await operator.post("/v1/rooms", body)).status_code == 201
        for name in ("anna", "bert", "carl"):
            town.player(name, calling)
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
