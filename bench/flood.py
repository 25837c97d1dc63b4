"""Effect of attacks from one address on other clients, against a real lobby process.

The attacker uses 127.0.0.2 (and more addresses if an attack needs them). Meanwhile a client at
127.0.0.3 reads the list of rooms and the readiness, and calls the lobby by A2A, in a loop. Prints
one JSON line: for each attack its outcome, the latency of the other client, and the lobby's memory
before, at its maximum, and after. Limits: 99 % of the answers within 100 ms; at most 64 MB more
memory after an attack than before.

`--unlimited` disables the limits of the lobby, for comparison. `python bench/flood.py lobby PORT`
serves the lobby, `… attack NAME PORT` runs one attack.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Awaitable
from contextlib import suppress
from pathlib import Path
from statistics import quantiles
from typing import Any

import psutil
import uvloop
from agents.flood_attacks import ATTACKS
from casino.attack.attack_traffic import ATTACKER, AttackAddress, connected
from casino_agentkit import configure_logs, serve
from casino_agentkit.server.server_limits import DEFAULT_LIMITS, raise_descriptor_limit
from casino_lobby.app import build_app
from casino_lobby.settings import LobbySettings
from rig import BENCH, free_port, print_report, server, wait_for_port

sys.path.append(str(BENCH.parent / "tests"))
from support.attack.lobby_attacks import OTHER, call, get

MOST_MS, MOST_MB = 100.0, 64.0
PAUSE_S = 0.2
"""Pause between two rounds of the other client: five commands per second are allowed."""
UNLIMITED = {
    "commands_per_minute": 0,
    "streams_per_address": 0,
    "announced_tables": 10**6,
    "announced_tables_per_origin": 10**6,
    "rooms": 10**6,
}

# The other client.


class OtherClient:
    """Send requests in a loop; record the latency of each and count failures."""

    def __init__(self, port: int) -> None:
        self._target = AttackAddress(port, OTHER)
        self.milliseconds: list[float] = []
        self.failed = 0

    async def run(self) -> None:
        """Send requests until cancelled: lists on one connection, readiness on a new one."""
        while True:
            with suppress(OSError, asyncio.IncompleteReadError, TimeoutError):
                async with connected(self._target) as connection:
                    while True:
                        await self._timed(get(connection, "/v1/rooms"), 200)
                        await self._timed(call(connection, "listRooms", {}), "ok")
                        async with connected(self._target) as second:
                            await self._timed(get(second, "/readyz"), 200)
                        await asyncio.sleep(PAUSE_S)
            self.failed += 1
            await asyncio.sleep(PAUSE_S)

    async def _timed(self, request: Awaitable[object], expected: object) -> None:
        began = time.perf_counter()
        async with asyncio.timeout(10):
            answer = await request
        self.milliseconds.append((time.perf_counter() - began) * 1e3)
        self.failed += answer != expected

    def summary(self) -> dict[str, Any]:
        """Return the count of requests, failures and the latency percentiles."""
        latencies = self.milliseconds if len(self.milliseconds) > 1 else [0.0, 0.0]
        percentiles = quantiles(latencies, n=100)
        return {
            "asked": len(self.milliseconds),
            "failed": self.failed,
            "p50_ms": round(percentiles[49], 1),
            "p99_ms": round(percentiles[98], 1),
            "max_ms": round(max(latencies), 1),
        }


# The measurement.


def serve_lobby(port: int, *, is_unlimited: bool) -> None:
    """Serve a lobby that launches no tables, with data in `$FLOOD_DATA`."""
    configure_logs("lobby", level="WARNING")
    settings: dict[str, Any] = {"launch_tables": False, "data": Path(os.environ["FLOOD_DATA"])}
    if is_unlimited:
        settings |= UNLIMITED
    serve(
        lambda url: build_app(LobbySettings.model_validate(settings), url),
        host="127.0.0.1",
        port=port,
        limits=None if is_unlimited else DEFAULT_LIMITS,
    )


async def run_attack(name: str, port: int, pid: int) -> dict[str, Any]:
    """Run one attack as a process; returns its outcome and the effect on the other client."""
    process = psutil.Process(pid)
    before = most = process.memory_info().rss
    other = OtherClient(port)
    polling = asyncio.create_task(other.run())
    attacker = await asyncio.create_subprocess_exec(
        sys.executable,
        str(BENCH / "flood.py"),
        "attack",
        name,
        str(port),
        stdout=asyncio.subprocess.PIPE,
    )
    communication = asyncio.create_task(attacker.communicate())
    while not communication.done():
        await asyncio.wait([communication], timeout=0.2)
        most = max(most, process.memory_info().rss)
    polling.cancel()
    await asyncio.wait([polling])
    await asyncio.sleep(2)  # until the connections of the attacker are closed
    output, _ = communication.result()
    megabytes = [round(size / 2**20) for size in (before, most, process.memory_info().rss)]
    return {
        "attack": json.loads(output) if output else "failed",
        "others": other.summary(),
        "rss_mb": megabytes,
    }


async def measure(names: list[str], *, is_unlimited: bool) -> dict[str, Any]:
    """Run the attacks one after the other on one lobby."""
    port = free_port()
    part = ["lobby", str(port), *(["--unlimited"] if is_unlimited else [])]
    with (
        tempfile.TemporaryDirectory() as data,
        server(str(BENCH / "flood.py"), *part, environment={"FLOOD_DATA": data}) as process,
    ):
        await wait_for_port(port)
        other = OtherClient(port)
        polling = asyncio.create_task(other.run())
        await asyncio.sleep(3)
        polling.cancel()
        await asyncio.wait([polling])
        results = {name: await run_attack(name, port, process.pid) for name in names}
    missed = [
        name
        for name, result in results.items()
        if result["others"]["p99_ms"] > MOST_MS
        or result["others"]["failed"]
        or result["rss_mb"][2] - result["rss_mb"][0] > MOST_MB
    ]
    return {
        "bench": "flood",
        "unlimited": is_unlimited,
        "load": [round(load, 1) for load in os.getloadavg()],
        "descriptors": raise_descriptor_limit(),
        "in_peace": other.summary(),
        "attacks": results,
        "floor": {"p99_ms": MOST_MS, "rss_mb_more": MOST_MB},
        "missed": missed,
    }


def main() -> None:
    """Measure, or run one part of the measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="*")
    parser.add_argument("--unlimited", action="store_true")
    parser.add_argument("--only", nargs="*", choices=ATTACKS, default=list(ATTACKS))
    arguments = parser.parse_args()
    raise_descriptor_limit()
    match arguments.part:
        case ["lobby", port]:
            serve_lobby(int(port), is_unlimited=arguments.unlimited)
        case ["attack", name, port]:
            print(json.dumps(uvloop.run(ATTACKS[name](AttackAddress(int(port), ATTACKER)))))
        case _:
            print_report(uvloop.run(measure(arguments.only, is_unlimited=arguments.unlimited)))


if __name__ == "__main__":
    main()
