"""CPU and memory of the lobby with 500 clients of one stream at ten events per second.

A table publishes events over HTTP; raw sockets in a separate process read them. For comparison, a
bare Starlette application sends the same bytes to as many clients from one queue each. Prints one
JSON line. Limit: less than one core.

`python bench/stream.py lobby|bare PORT` runs one server, `… clients PORT PATH COUNT` the clients.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from datetime import timedelta
from statistics import quantiles
from typing import Any

import psutil
import uvicorn
import uvloop
from casino_agentkit import AgentClient, HttpTransport, Service, configure_logs, serve
from casino_contracts import (
    RecordGameEventOutput,
    RoomKey,
    StreamedEvent,
    TableAgentSkills,
    TableEvent,
)
from casino_lobby.app import build_app
from casino_lobby.domain.room import Room
from casino_lobby.settings import LobbySettings
from casino_lobby.store import MemoryStore
from rig import BENCH, cpu_seconds, free_port, print_report, server, wait_for_port
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

sys.path.append(str(BENCH.parent / "tests"))
from support.table.table_side import config

MOST_CORES = 1.0
SOON = timedelta(seconds=10)
SECRET = "the room's secret of this bench"  # noqa: S105  not a real secret
PATHS = {"lobby": "/v1/rooms/room/stream", "bare": "/stream"}
_MARK = b'"message":"sent '


def event(sequence: int) -> TableEvent:
    """Return an event of typical size that contains the time at which it is sent."""
    return TableEvent(
        table_id="table",
        event_type="action_taken",
        message=f"sent {time.monotonic_ns():020}",
        timestamp="2026-11-20T19:43:00.123Z",
        payload={
            "handNumber": 17,
            "playerId": "player-4",
            "bettingRound": "flop",
            "action": "raise",
            "amount": 36,
            "pot": 88,
            "stack": 164,
            "outcome": "ok",
            "latencyMs": 12,
        },
        sequence=sequence,
        epoch=1,
        hand_id="table/17",
    )


# The servers.


def serve_lobby(port: int) -> None:
    """Serve a lobby with one room, whose table is this benchmark."""
    configure_logs("lobby", level="ERROR")
    store = MemoryStore(20_000)
    room = Room("room", "table", config(), "texas-holdem", TableAgentSkills(), secret=SECRET)
    room.phase, room.table_card_url = "open", "http://127.0.0.1:1/"

    def build(url: str) -> Service:
        settings = LobbySettings(launch_tables=False, streams_per_address=0, commands_per_minute=0)
        service = build_app(settings, url, store=store)
        start_service = service.start

        async def start() -> None:
            await store.add(room)
            await start_service()

        service.start = start
        return service

    serve(build, host="127.0.0.1", port=port)


def serve_bare(port: int) -> None:
    """Serve the bare application: each posted body is sent to all streams."""
    queues: set[asyncio.Queue[bytes]] = set()

    async def publish(request: Request) -> Response:
        content = await request.body()
        for queue in queues:
            queue.put_nowait(content)
        return Response()

    async def follow(queue: asyncio.Queue[bytes]) -> AsyncIterator[bytes]:
        queues.add(queue)
        try:
            while True:
                yield await queue.get()
        finally:
            queues.discard(queue)

    async def stream(_request: Request) -> Response:
        return StreamingResponse(follow(asyncio.Queue()), media_type="text/event-stream")

    routes = [Route("/", publish, methods=["POST"]), Route("/stream", stream)]
    uvicorn.run(
        Starlette(routes=routes),
        port=port,
        http="httptools",
        loop="uvloop",
        log_level="warning",
        timeout_graceful_shutdown=1,
    )


# The clients.


class Client(asyncio.Protocol):
    """Record the latency of each event and drop all other data."""

    def __init__(self, delays: list[int]) -> None:
        self._delays = delays
        self._rest = b""

    def data_received(self, data: bytes) -> None:
        """Find events and record their latency."""
        now = time.monotonic_ns()
        read = self._rest + data
        while (at := read.find(_MARK)) >= 0 and len(read) >= (end := at + len(_MARK) + 20):
            self._delays.append(now - int(read[end - 20 : end]))
            read = read[end:]
        self._rest = read[-(len(_MARK) + 20) :]


async def read_streams(port: int, path: str, count: int) -> None:
    """Open streams and print `open`; at the end of standard input print the latencies."""
    loop, delays = asyncio.get_running_loop(), list[int]()
    clients = []
    for _ in range(count):
        transport, _ = await loop.create_connection(lambda: Client(delays), "127.0.0.1", port)
        transport.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        clients.append(transport)
    print("open", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    percentiles = quantiles(delays, n=100) if len(delays) > 1 else [0.0] * 99
    print(
        json.dumps(
            {"read": len(delays), "p50": percentiles[49] / 1e6, "p99": percentiles[98] / 1e6}
        )
    )
    for transport in clients:
        transport.abort()


# The measurement.


class Lobby:
    """Publish events to the lobby as a table does."""

    async def open(self, url: str) -> None:
        """Resolve the lobby."""
        self._client = AgentClient()
        self._peer = await self._client.resolve(url, timeout=SOON)

    async def publish(self, sequence: int) -> None:
        """Publish one event."""
        await self._peer.call(
            "recordGameEvent",
            event(sequence),
            RecordGameEventOutput,
            timeout=SOON,
            token=RoomKey.of_epoch(SECRET, 1).events,
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


class Bare:
    """Post to the bare application the bytes that the lobby would send."""

    async def open(self, url: str) -> None:
        """Set the address."""
        self._url, self._transport = url, HttpTransport()

    async def publish(self, sequence: int) -> None:
        """Publish one event."""
        streamed = StreamedEvent(cursor=sequence, room_id="room", event=event(sequence))
        frame = b"id: %d\nevent: table_event\ndata: %s\n\n" % (sequence, streamed.wire())
        await self._transport.send("POST", f"{self._url}/", {}, frame, 10)

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()


async def side(name: str, clients: int, rate: float, seconds: float) -> dict[str, float]:
    """Measure one server."""
    port = free_port()
    with server(str(BENCH / "stream.py"), name, str(port)) as process:
        await wait_for_port(port)
        table: Lobby | Bare = Lobby() if name == "lobby" else Bare()
        await table.open(f"http://127.0.0.1:{port}")
        await table.publish(1)
        resident = psutil.Process(process.pid).memory_info
        before = resident().rss
        reading = await asyncio.create_subprocess_exec(
            sys.executable,
            str(BENCH / "stream.py"),
            "clients",
            str(port),
            PATHS[name],
            str(clients),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        if reading.stdin is None or reading.stdout is None:
            raise RuntimeError("the process of the clients has no pipes")
        await reading.stdout.readline()
        await asyncio.sleep(2)  # until all clients have received their snapshot
        memory = (resident().rss - before) / clients
        cpu, began = cpu_seconds(process.pid), time.perf_counter()
        events = round(rate * seconds)
        for number in range(events):
            await asyncio.sleep(began + number / rate - time.perf_counter())
            await table.publish(number + 2)
        elapsed = time.perf_counter() - began
        cores = (cpu_seconds(process.pid) - cpu) / elapsed
        await asyncio.sleep(1)
        output, _ = await reading.communicate(b"")
        await table.close()
    report = json.loads(output)
    if report["read"] < events * clients:
        raise RuntimeError(f"{name}: {report['read']} of {events * clients} were read")
    return {
        "cores": round(cores, 3),
        "p50_ms": round(report["p50"], 1),
        "p99_ms": round(report["p99"], 1),
        "kb_per_client": round(memory / 1024, 1),
    }


async def measure(clients: int, rate: float, seconds: float) -> dict[str, Any]:
    """Measure both servers, one after the other."""
    sides = {name: await side(name, clients, rate, seconds) for name in PATHS}
    return {
        "bench": "stream",
        "clients": clients,
        "events_per_s": rate,
        **sides,
        "of_bare": round(sides["lobby"]["cores"] / sides["bare"]["cores"], 2),
        "floor": {"lobby cores": MOST_CORES},
        "missed": ["lobby cores"] if sides["lobby"]["cores"] >= MOST_CORES else [],
    }


def main() -> None:
    """Measure, or run one part of the measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="*")
    parser.add_argument("--clients", type=int, default=500)
    parser.add_argument("--rate", type=float, default=10)
    parser.add_argument("--seconds", type=float, default=20)
    arguments = parser.parse_args()
    match arguments.part:
        case ["lobby", port]:
            serve_lobby(int(port))
        case ["bare", port]:
            serve_bare(int(port))
        case ["clients", port, path, count]:
            uvloop.run(read_streams(int(port), path, int(count)))
        case _:
            print_report(uvloop.run(measure(arguments.clients, arguments.rate, arguments.seconds)))


if __name__ == "__main__":
    main()
