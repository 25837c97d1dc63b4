"""A session in which every process is killed once, and the end of the processes themselves."""

import asyncio
import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from casino_agentkit import ChildFailed
from casino_lobby.table_launcher import journal_directory
from support.casino.auditor import Auditor, audit_journal, audit_store
from support.casino.casino import process_casino
from support.casino.members import Process
from support.processes import is_gone, wait_for

pytestmark = [pytest.mark.system, pytest.mark.timeout(240)]

RULES: dict[str, Any] = {
    "maxHands": 100_000,
    "maxSeats": 3,
    "actionTimeoutMs": 1000,  # which a dead player takes
    "maxTimeouts": 100_000,  # nobody sits out
    "rebuy": "auto",
    "seed": "durable",
}
ADA = "player-1"
JOURNAL = "tables-1-of-1.journal"


async def test_a_session_in_which_every_process_is_killed_once(tmp_path: Path) -> None:
    """No hand is lost, cancelled or played twice: events, ledger and journal agree to the chip.

    The launched table is launched again; a second lobby on the same data is refused.
    """
    async with process_casino(CASINO_LOBBY_DATA=str(tmp_path)) as casino:
        await casino.open(**RULES)
        ada = await casino.sample("random", name="Ada")
        for card in (ada.cards[0], *await casino.samples("random", 2)):
            assert (await casino.seat(card)).status_code == 201
        await casino.hands(2)
        second = Process(
            "lobby", "casino_lobby", ["--port", "0"], {"CASINO_LOBBY_DATA": str(tmp_path)}
        )
        with pytest.raises(ChildFailed, match="another lobby") as refused:
            await second.start()
        assert refused.value.reason == "STORE_FAILED"

        # What follows a death is seen by decisions that a living or dead player makes after it.
        table = await casino.launched_table()
        table.kill()
        table = await casino.launched_table(after=table)
        await ada.kill()
        await casino.until_last("unreachable", ADA)
        casino.lobby.freeze()  # else it might launch the table again
        table.kill()  # by itself it would offer its events for some time
        await casino.lobby.kill()
        await asyncio.to_thread(wait_for, lambda: is_gone(table.pid))
        await ada.start()
        await casino.lobby.start()
        await casino.until_last("ok", ADA)

        auditor = Auditor(casino.http)
        audit = await auditor.read_room("main")
        assert (audit.epoch, audit.cancelled) == (1, set())
        assert audit.completed == set(range(1, len(audit.completed) + 1))
        await casino.lobby.stop()
        room = (await audit_store(tmp_path, [audit]))["main"]
        journal = journal_directory(tmp_path / "tables", "main") / JOURNAL
        audit_journal(journal, room, audit)

        # Nothing is played on a damaged journal: its room fails with the last settled stacks.
        with closing(sqlite3.connect(journal, isolation_level=None)) as database:
            database.execute("UPDATE block SET body = x'00'")
        await casino.lobby.start()
        failed = await casino.until("failed")
        assert failed.summary is not None
        assert "damaged at record" in (failed.summary.message or "")
        refused_seat = await casino.seat(ada.cards[0])
        assert (refused_seat.status_code, refused_seat.json()["reason"]) == (409, "ROOM_CLOSED")


async def test_a_launched_table_that_is_ended_or_loses_its_journal(tmp_path: Path) -> None:
    """It ends with its room or its lobby; a lost journal is a new epoch.

    The running hand is cancelled, and play goes on with the last settled stacks. A port in use is
    refused, and the room there is not affected.
    """
    async with process_casino(CASINO_LOBBY_DATA=str(tmp_path)) as casino:
        room = await casino.open("first")
        port = int((room.table_base_url or "").rpartition(":")[2])
        taken = {"roomId": "thief", "config": room.config.model_dump(mode="json")}
        reply = await casino.http.post("/v1/rooms", json={**taken, "launchOptions": {"port": port}})
        assert (reply.status_code, reply.json()["reason"]) == (409, "PORT_TAKEN")
        assert (await casino.http.get("/v1/rooms/thief")).status_code == 404
        table = await casino.launched_table()
        await casino.close("first")
        await asyncio.to_thread(wait_for, lambda: is_gone(table.pid))

        await casino.open(**RULES)
        for card in await casino.samples("random", 3):
            assert (await casino.seat(card)).status_code == 201
        await casino.hands(3)
        table = await casino.launched_table()
        table.suspend()
        for file in journal_directory(tmp_path / "tables", "main").iterdir():
            file.unlink()
        table.kill()
        await casino.until_epoch(2)
        await casino.hands(3)
        audit = await casino.audit()
        assert audit.epoch == 2
        assert len(audit.cancelled) <= 1
        table = await casino.launched_table()
        assert await casino.lobby.end(signal.SIGTERM) == 0
        assert is_gone(table.pid)
        await audit_store(tmp_path, [audit])
