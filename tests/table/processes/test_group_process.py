"""A group of table processes: they start, are watched and end together."""

import json
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import httpx
import psutil
import pytest
from casino_agentkit import AgentClient, ChildFailed
from casino_agentkit.server.serving import bind
from casino_contracts import TableSummary
from support.casino.casino import process
from support.casino.members import Process
from support.processes import eventually, is_gone, two_reserved_ports, wait_for
from support.table.table_side import SOON

pytestmark = [pytest.mark.full, pytest.mark.timeout(120)]

CARD = "/.well-known/agent-card.json"
FOUR = {"CASINO_TABLE_COUNT": "4", "CASINO_TABLE_PROCESSES": "2"}
KEY = "the-fleet-key-of-a-test"


@asynccontextmanager
async def group(port: int = 0, **settings: str) -> AsyncIterator[tuple[Process, psutil.Process]]:
    """Run a group of two processes; yields the first one and the other."""
    arguments = ["--port", str(port)]
    async with process("tables", "casino_table", arguments, settings=FOUR | settings) as first:
        (second,) = psutil.Process(first.pid).children()
        yield first, second


def origins(first: Process) -> list[str]:
    """Return the origins of all cards, in their order."""
    return [card.rpartition("/tables/")[0] for card in first.cards]


async def test_it_announces_all_tables_and_is_ready() -> None:
    """Each at the address of the process that has it; every process has its own metrics."""
    async with group() as (first, second), httpx.AsyncClient() as http:
        (one, other) = origins(first)[:2]
        assert origins(first) == [one, other, one, other]
        assert [card.rpartition("/tables/")[2] for card in first.cards] == [
            f"{number}{CARD}" for number in range(1, 5)
        ]
        assert first.url == one != other
        ready = await http.get(f"{first.url}/readyz")
        assert (ready.status_code, ready.json()["checks"]["table process 2"]) == (200, True)
        for url in (one, other):
            page = (await http.get(f"{url}/metrics")).text
            assert 'casino_tables{status="free"} 2.0' in page
        named = f'casino_table_process_ready{{url="{other}"}} 1.0'
        await eventually(lambda: _has(http, f"{one}/metrics", named))
        # A process that hangs is not ready, and neither is the first.
        second.suspend()
        await eventually(lambda: _is(http, f"{first.url}/readyz", 503))
        second.resume()
        await eventually(lambda: _is(http, f"{first.url}/readyz", 200))


async def _has(http: httpx.AsyncClient, url: str, line: str) -> bool:
    return line in (await http.get(url)).text


async def _is(http: httpx.AsyncClient, url: str, status: int) -> bool:
    return (await http.get(url)).status_code == status


async def test_the_card_at_the_first_process_leads_to_every_table() -> None:
    """Clients call where it says; what follows redirects is led there as well."""
    async with group(CASINO_TABLE_FLEET_KEY=KEY) as (first, _), httpx.AsyncClient() as http:
        client = AgentClient()
        for number, origin in enumerate(origins(first), start=1):
            table = await client.resolve(f"{first.url}/tables/{number}", timeout=SOON)
            assert table.url.startswith(f"{origin}/tables/{number}/")
            summary = await table.call("tableSummary", b"{}", TableSummary, timeout=SOON)
            assert summary.status == "waiting"
        await client.close()
        moved = await http.get(f"{first.url}/tables/2/..%2f..%2f?x", follow_redirects=False)
        assert moved.headers["location"] == f"{origins(first)[1]}/tables/2/..%2f..%2f?x"
        call = {"jsonrpc": "2.0", "id": "1", "method": "GetTask", "params": {"id": "none"}}
        url = f"{first.url}/tables/2/a2a/jsonrpc"
        followed = await http.post(url, json=call, follow_redirects=True)
        assert followed.url.port == urlsplit(origins(first)[1]).port
        assert followed.json()["error"]


@pytest.mark.parametrize("victim", ["first", "second"])
async def test_a_killed_process_ends_the_group(victim: str) -> None:
    """The first one says which it was; whatever supervises it starts all again."""
    async with group() as (first, second):
        os.kill(first.pid if victim == "first" else second.pid, signal.SIGKILL)
        code = await first.ended()
        wait_for(lambda: is_gone(second.pid))
    if victim == "first":
        assert code == -signal.SIGKILL
    else:
        assert code == 1
        assert first.log[-1].startswith("casino_table: table process 2 of 2: ended with code -9")


async def test_sigterm_drains_all_processes() -> None:
    """They end in order, with code 0."""
    async with group() as (first, second):
        os.kill(first.pid, signal.SIGTERM)
        assert await first.ended() == 0
        assert is_gone(second.pid)
        ended = [json.loads(line) for line in first.log]
        drained = {line["process"] for line in ended if line["event"] == "shutting_down"}
        assert drained == {1, 2}
        assert not [line for line in ended if line["event"] == "table_process_ended"]


async def test_a_second_signal_ends_all_processes_at_once() -> None:
    async with group() as (first, second):
        second.suspend()  # it does not end by SIGTERM
        os.kill(first.pid, signal.SIGTERM)
        await eventually(lambda: _is_draining(first))
        os.kill(first.pid, signal.SIGTERM)
        second.resume()
        assert await first.ended() != 0
        wait_for(lambda: is_gone(second.pid))


async def _is_draining(first: Process) -> bool:
    return any('"shutting_down"' in line for line in first.log)


async def test_a_taken_port_of_another_process_is_named() -> None:
    """With what can be done; nothing is left over."""
    first, second = two_reserved_ports()
    with bind("127.0.0.1", second) as taken:
        taken.listen()
        with pytest.raises(ChildFailed, match="free that port") as failed:
            async with group(first):
                pass
    assert failed.value.reason == "PORT_TAKEN"
    assert "table process 2 of 2" in str(failed.value)
    bind("127.0.0.1", first).close()
