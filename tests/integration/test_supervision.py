"""Processes of tables that the lobby launched end with their room or their lobby."""

import os
import signal

import psutil
import pytest
from support.casino.live import ProcessCasino, live_casino
from support.processes import is_gone, wait_for

pytestmark = pytest.mark.full


def table_of(casino: ProcessCasino) -> int:
    """Return the process id of the one launched table."""
    (table,) = psutil.Process(casino.lobby.pid).children()
    return table.pid


async def test_the_table_of_a_closed_room_ends() -> None:
    """Its process exits."""
    async with live_casino() as casino:
        await casino.open()
        pid = table_of(casino)
        await casino.http.delete("/v1/rooms/main")
        await casino.until("closed")
        wait_for(lambda: is_gone(pid), seconds=60)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
async def test_no_table_outlives_its_lobby(how: signal.Signals) -> None:
    """However the lobby ends, during a session."""
    async with live_casino() as casino:
        await casino.open(maxHands=100_000, maxSeats=2, rebuy="auto")
        for card in await casino.samples("random", 2):
            await casino.seat(card)
        await casino.until("running")
        pid = table_of(casino)
        os.kill(casino.lobby.pid, how)
        code = await casino.lobby.ended()
        assert code == (0 if how is signal.SIGTERM else -signal.SIGKILL)
        wait_for(lambda: is_gone(pid), seconds=90)  # it offers its events to the lobby for 12 s


async def test_a_pinned_port_in_use_is_refused() -> None:
    """The room on that port is not affected."""
    async with live_casino() as casino:
        room = await casino.open()
        port = int((room.table_base_url or "").rpartition(":")[2])
        body = {
            "roomId": "thief",
            "config": room.config.model_dump(mode="json"),
            "launchOptions": {"port": port},
        }
        reply = await casino.http.post("/v1/rooms", json=body)
        assert (reply.status_code, reply.json()["reason"]) == (409, "PORT_TAKEN")
        assert (await casino.room()).summary is not None
        assert (await casino.http.get("/v1/rooms/thief")).status_code == 404
