"""A group of table processes: they start, are watched and end together."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psutil
import pytest
from a2a.client import ClientConfig, ClientFactory
from a2a.types import Message, Part, Role, SendMessageRequest
from casino_agentkit import EXTENSION, AgentClient, ChildFailed
from casino_agentkit.server.server import bind
from casino_contracts import TableSummary
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.struct_pb2 import Value
from support.casino.live import ENVIRONMENT, process
from support.casino.members import Process
from support.free_port import free_port
from support.processes import eventually, is_gone, wait_for
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


def run(environment: Mapping[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    return subprocess.run(
        [sys.executable, "-m", "casino_table", *arguments],
        env={**ENVIRONMENT, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


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


async def test_the_sdk_s_client_finds_every_table_at_the_first_process() -> None:
    """As it is by default, it follows no redirects."""
    async with group() as (first, _), httpx.AsyncClient() as http:
        config = ClientConfig(streaming=False, httpx_client=http)
        client = await ClientFactory(config).create_from_url(f"{first.url}/tables/2")
        message = Message(
            message_id="1",
            role=Role.ROLE_USER,
            extensions=[EXTENSION],
            parts=[Part(data=ParseDict({}, Value()), media_type="application/json")],
        )
        message.metadata.update({EXTENSION: {"skill": "tableSummary"}})
        request = SendMessageRequest(message=message)
        (reply,) = [reply async for reply in client.send_message(request)]
        (part,) = reply.message.parts
        assert MessageToDict(part.data)["status"] == "waiting"


async def test_rules_hold_on_the_port_of_every_process() -> None:
    """The fleet key, and the guard against pages of other origins."""
    async with group(CASINO_TABLE_FLEET_KEY=KEY) as (first, _), httpx.AsyncClient() as http:
        for card in first.cards[:2]:
            url = card.removesuffix(CARD) + "/a2a/rest/message:send"
            message = {
                "messageId": "1",
                "role": "ROLE_USER",
                "parts": [{"data": {}, "mediaType": "application/json"}],
                "metadata": {EXTENSION: {"skill": "closeTable"}},
            }
            headers = {"A2A-Version": "1.0"}
            refused = await http.post(url, json={"message": message}, headers=headers)
            assert "UNAUTHORIZED" in refused.text
            for wrong in ({"host": "evil.example"}, {"origin": "https://evil.example"}):
                guarded = await http.post(url, json={}, headers={**headers, **wrong})
                assert guarded.status_code in {403, 421}


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
    """Also one that takes its time to drain."""
    async with group() as (first, second):
        second.suspend()  # it does not end by SIGTERM
        os.kill(first.pid, signal.SIGTERM)
        await eventually(lambda: _is_draining(first))
        os.kill(first.pid, signal.SIGTERM)
        second.resume()
        assert await first.ended() != 0
        wait_for(lambda: is_gone(second.pid), seconds=10)


async def _is_draining(first: Process) -> bool:
    return any('"shutting_down"' in line for line in first.log)


def slots(data: Path) -> list[str]:
    return sorted(path.name for path in data.iterdir())


async def test_they_keep_their_journals_in_one_slot(tmp_path: Path) -> None:
    """Which the first of them has found."""
    async with group(CASINO_TABLE_DATA=str(tmp_path / "{slot}")):
        assert slots(tmp_path) == ["1"]


async def test_a_taken_port_of_another_process_is_named() -> None:
    """With what can be done; nothing is left over."""
    first = free_port()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", first + 1))
        taken.listen()
        with pytest.raises(ChildFailed, match="free that port") as failed:
            async with group(first):
                pass
    assert failed.value.reason == "PORT_TAKEN"
    assert "table process 2 of 2" in str(failed.value)
    bind("127.0.0.1", first).close()


def test_by_default_all_cores_are_used() -> None:
    """Those on which the process may run."""
    environment = {**ENVIRONMENT, "CASINO_TABLE_COUNT": "4", "CASINO_TABLE_PROCESSES": ""}
    with subprocess.Popen(
        [sys.executable, "-m", "casino_table", "--supervised"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as first:
        assert first.stdout is not None
        ready = json.loads(first.stdout.readline())
        cores = min(4, len(os.sched_getaffinity(0)))
        assert len({urlsplit(card).port for card in ready["cards"]}) == cores
        first.terminate()
        assert first.wait(60) == 0


def test_wrong_settings_are_refused() -> None:
    """In one line, before anything is started."""
    ended = run({**FOUR, "CASINO_TABLE_PROCESSES": "5"})
    assert ended.returncode == 1
    assert ended.stderr.startswith("casino_table: CASINO_TABLE_PROCESSES: 5 processes cannot share")
    assert ended.stderr.count("\n") == 1


def test_the_card_of_a_group_is_printed_without_processes() -> None:
    """The lobby reads it for the games of the tables that it launches."""
    ended = run(FOUR, "--card")
    assert ended.returncode == 0
    assert json.loads(ended.stdout)["name"] == "A2A Casino table"
