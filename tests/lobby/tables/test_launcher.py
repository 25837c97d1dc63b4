"""Launched tables: real processes that are supervised and stopped."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from casino_agentkit import AgentClient, CommandRefused
from casino_agentkit.server.serving import bind
from casino_lobby.domain.fleet import origin_of
from casino_lobby.domain.lobby_events import MessageBus, TableLost
from casino_lobby.settings import PortRange
from casino_lobby.table_launcher import TableLauncher, environment_of_tables
from structlog.testing import capture_logs
from support.processes import PATIENCE_S, is_gone, two_reserved_ports

pytestmark = pytest.mark.full

SOON = timedelta(seconds=10)
"""For a table whose lobby is not there: it would offer its events for some time before it ends."""
ANY_PORT = PortRange(0, 0)


class Yard:
    """A launcher, and the tables that it reports as lost."""

    def __init__(self, ports: PortRange = ANY_PORT) -> None:
        self.lost: asyncio.Queue[TableLost] = asyncio.Queue()
        bus = MessageBus()
        bus.subscribe(TableLost, self.lost.put_nowait)
        self.launcher = TableLauncher(ports, bus=bus, on_log=lambda _line: None, grace=SOON)

    def pid(self, room_id: str) -> int:
        return self.launcher._children[room_id].pid


@pytest.fixture
async def yard() -> AsyncIterator[Yard]:
    """Return a launcher on free ports; its tables end with the test."""
    yard = Yard()
    yield yard
    await yard.launcher.stop_all()


async def test_a_launched_table_answers_until_it_is_stopped(yard: Yard) -> None:
    """Only an unexpected end is published."""
    card_url = await yard.launcher.launch("r1", None)
    client = AgentClient()
    table = await client.resolve(card_url, timeout=SOON)
    assert "configureTable" in table.skills
    assert table.name == "Table of r1"
    await client.close()
    pid = yard.pid("r1")
    for _ in range(2):
        await yard.launcher.stop("r1")
    assert is_gone(pid)
    assert yard.lost.empty()


async def test_a_lost_table_is_published(yard: Yard) -> None:
    await yard.launcher.launch("r1", None)
    with capture_logs() as logs:
        os.kill(yard.pid("r1"), signal.SIGKILL)
        assert await asyncio.wait_for(yard.lost.get(), PATIENCE_S) == TableLost("r1")
    assert [(log["event"], log["exit"]) for log in logs] == [("table_process_ended", "signal 9")]


async def test_a_port_is_pinned_or_the_next_free_one_and_never_taken_over() -> None:
    ports = PortRange(*two_reserved_ports())
    yard = Yard(ports)
    taken = bind("127.0.0.1", ports.first)
    assert f":{ports.last}/" in await yard.launcher.launch("r1", None)
    for pinned, message, reason in (
        (None, "No port of", "NO_TABLE"),
        (ports.last, f"Port {ports.last} is in use", "PORT_TAKEN"),
    ):
        with pytest.raises(CommandRefused, match=message) as refused:
            await yard.launcher.launch("r2", pinned)
        assert refused.value.reason == reason
    taken.close()
    assert f":{ports.first}/" in await yard.launcher.launch("r2", ports.first)
    await yard.launcher.stop_all()


async def test_launched_tables_get_the_number_of_hands_to_keep_from_the_lobby() -> None:
    launcher = TableLauncher(
        ANY_PORT,
        bus=MessageBus(),
        on_log=lambda _line: None,
        environment={**os.environ, "CASINO_TABLE_KEEP_HANDS": "99"},
        grace=SOON,
    )
    with pytest.raises(CommandRefused, match="CASINO_TABLE_KEEP_HANDS: must be at least 100"):
        await launcher.launch("r1", None)
    await launcher.stop_all()


@pytest.mark.parametrize(
    ("own", "level"), [({}, "WARNING"), ({"CASINO_TABLE_LOG_LEVEL": "DEBUG"}, "DEBUG")]
)
def test_launched_tables_log_at_the_lobby_s_level(own: dict[str, str], level: str) -> None:
    environment = {"CASINO_LOBBY_LOG_LEVEL": "WARNING", "CASINO_LOBBY_OPERATOR_TOKEN": "x", **own}
    assert environment_of_tables(environment) == {"CASINO_TABLE_LOG_LEVEL": level}
    assert environment_of_tables({}) == {}


def test_launched_tables_have_ports_of_their_own_for_grpc_too() -> None:
    environment = {"CASINO_TABLE_GRPC_PORT": "50051", "CASINO_TABLE_PORT": "4500"}
    assert environment_of_tables(environment) == {"CASINO_TABLE_GRPC_PORT": "0"}


async def test_tables_launched_together_have_a_port_each_that_was_theirs_from_the_start() -> None:
    """A port is refused before a process is begun, also to another lobby of this machine."""
    ports = PortRange(*two_reserved_ports())
    yards = Yard(ports), Yard(ports)
    launches = [yard.launcher.launch(f"r{number}", None) for number, yard in enumerate(yards * 2)]
    with capture_logs() as logs:
        outcomes = await asyncio.gather(*launches, return_exceptions=True)
    urls = {outcome for outcome in outcomes if isinstance(outcome, str)}
    assert {origin_of(url) for url in urls} == {
        f"http://127.0.0.1:{port}" for port in (ports.first, ports.last)
    }
    refusals = [outcome for outcome in outcomes if isinstance(outcome, CommandRefused)]
    assert [refusal.reason for refusal in refusals] == ["NO_TABLE"] * 2
    assert [log["event"] for log in logs] == ["table_launched"] * 2
    for yard in yards:
        await yard.launcher.stop_all()


async def test_a_table_that_is_launched_again_has_its_earlier_port_unless_somebody_has_it() -> None:
    ports = PortRange(*two_reserved_ports())
    yard = Yard(ports)
    assert f":{ports.last}/" in await yard.launcher.launch("r1", None, ports.last)
    with capture_logs() as logs:
        assert f":{ports.first}/" in await yard.launcher.launch("r2", None, ports.last)
    assert logs[0] == {
        "event": "table_port_taken",
        "log_level": "warning",
        "port": ports.last,
    }
    await yard.launcher.stop_all()
