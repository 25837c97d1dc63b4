"""Tables of the lobby's own: real processes, watched, never left behind."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from casino_agentkit import AgentClient, CommandRefused
from casino_agentkit.server.server import bind
from casino_lobby.settings import PortRange
from casino_lobby.tables.launcher import TableLauncher
from support.processes import is_gone

pytestmark = pytest.mark.processes

SOON = timedelta(seconds=10)
ANY_PORT = PortRange(0, 0)


class Yard:
    """A launcher, and what it tells."""

    def __init__(self, ports: PortRange = ANY_PORT) -> None:
        self.lost: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
        self.launcher = TableLauncher(
            ports,
            on_lost=lambda room, how: self.lost.put_nowait((room, how)),
            on_log=lambda _line: None,
            grace=SOON,
        )

    def pid(self, room_id: str) -> int:
        """Return the process of a room's table."""
        return self.launcher._children[room_id].pid


@pytest.fixture
async def yard() -> AsyncIterator[Yard]:
    """Launch on free ports, and end all."""
    yard = Yard()
    yield yard
    await yard.launcher.stop_all()


def two_free_ports() -> PortRange:
    """Return two neighbouring free ports."""
    while True:
        first = bind("127.0.0.1", 0)
        port = first.getsockname()[1]
        try:
            second = bind("127.0.0.1", port + 1)
        except Exception:  # noqa: BLE001  taken: another pair
            first.close()
            continue
        first.close()
        second.close()
        return PortRange(port, port + 1)


async def test_a_launched_table_answers(yard: Yard) -> None:
    """Its card can be read as soon as it is launched."""
    card_url = await yard.launcher.launch("r1", None)
    client = AgentClient()
    table = await client.resolve(card_url, timeout=SOON)
    assert "configureTable" in table.skills
    assert table.name == "Table of r1"
    await client.close()


async def test_a_lost_table_is_told(yard: Yard) -> None:
    """With how it ended."""
    await yard.launcher.launch("r1", None)
    os.kill(yard.pid("r1"), signal.SIGKILL)
    told = await asyncio.wait_for(yard.lost.get(), 10)
    assert told == ("r1", "the table process ended with signal 9")


async def test_a_stopped_table_is_not_lost(yard: Yard) -> None:
    """It ended because it was asked to."""
    await yard.launcher.launch("r1", None)
    pid = yard.pid("r1")
    await yard.launcher.stop("r1")
    assert is_gone(pid)
    assert yard.lost.empty()
    await yard.launcher.stop("r1")


async def test_a_pinned_port_is_used_and_never_taken_over() -> None:
    """A port in use is refused."""
    ports = two_free_ports()
    yard = Yard()
    card_url = await yard.launcher.launch("r1", ports.first)
    assert f":{ports.first}/" in card_url
    with pytest.raises(CommandRefused, match=f"Port {ports.first} is in use") as refused:
        await yard.launcher.launch("r2", ports.first)
    assert refused.value.reason == "PORT_TAKEN"
    await yard.launcher.stop_all()


async def test_the_next_free_port_of_the_range_is_taken() -> None:
    """Until there is none."""
    ports = two_free_ports()
    yard = Yard(ports)
    taken = bind("127.0.0.1", ports.first)
    card_url = await yard.launcher.launch("r1", None)
    assert f":{ports.last}/" in card_url
    with pytest.raises(CommandRefused, match="No port of") as refused:
        await yard.launcher.launch("r2", None)
    assert refused.value.reason == "NO_TABLE"
    taken.close()
    await yard.launcher.stop_all()
