"""Shared by all benchmarks: server processes, concurrent calls, CPU of both sides."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import casino_agentkit.process.lean  # noqa: F401  first
import psutil
from casino_contracts import ActionRequest, Card, PastAction, PlayerView

BENCH = Path(__file__).parent
SDK_TRACING = "OTEL_INSTRUMENTATION_A2A_SDK_ENABLED"


def free_port() -> int:
    """Return a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


@contextmanager
def server(
    *command: str,
    environment: dict[str, str] | None = None,
    as_installed: bool = False,
    interpreter: str = sys.executable,
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server process with this Python interpreter, or another; terminate it at the end.

    `as_installed` keeps the tracing setting of the SDK; otherwise agentkit sets it.
    """
    inherited = {**os.environ, **(environment or {})}
    if not as_installed:
        inherited.pop(SDK_TRACING, None)
    process = subprocess.Popen([interpreter, *command], env=inherited, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(30)


async def wait_for_port(port: int) -> None:
    """Wait until a server accepts connections on a port."""
    for _ in range(1_200):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.05)
        else:
            writer.close()
            return
    raise RuntimeError(f"no server listens on port {port} after 60 s")


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process in seconds, user and system.

    Linux keeps it to the nanosecond and gives each process a clock of that time, whose number is
    that of `clock_getcpuclockid`; elsewhere it comes in ticks of 10 ms.
    """
    if Path("/proc").is_dir():
        return time.clock_gettime((~pid << 3) | 2)
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


@dataclass
class Lap:
    """One round of calls: rate, and CPU microseconds per call on each side."""

    calls_per_s: float
    client_us: float
    server_us: float

    @property
    def us(self) -> float:
        """CPU microseconds per call of both sides together."""
        return self.client_us + self.server_us


async def lap(
    call: Callable[[int], Awaitable[Any]], calls: int, in_flight: int, server_pid: int
) -> Lap:
    """Make `calls` calls, `in_flight` at a time, and measure them."""
    numbers = iter(range(calls))

    async def worker() -> None:
        for number in numbers:
            await call(number)

    server_before, client_before = cpu_seconds(server_pid), time.process_time()
    started = time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(in_flight)))
    elapsed = time.perf_counter() - started
    client_after, server_after = time.process_time(), cpu_seconds(server_pid)
    return Lap(
        calls / elapsed,
        (client_after - client_before) / calls * 1e6,
        (server_after - server_before) / calls * 1e6,
    )


def summary(laps: list[Lap]) -> dict[str, float]:
    """Return the medians of laps."""
    return {
        "calls_per_s": round(median(lap.calls_per_s for lap in laps)),
        "client_us": round(median(lap.client_us for lap in laps), 1),
        "server_us": round(median(lap.server_us for lap in laps), 1),
    }


def question(history: int = 12) -> ActionRequest:
    """Return a question of a six-handed table in the middle of a hand."""
    cards = [Card.from_text(text) for text in ("As", "Kd", "2c", "7h", "Td")]
    return ActionRequest(
        table_id="table-1",
        betting_round="flop",
        community_cards=tuple(cards[2:]),
        hole_cards=tuple(cards[:2]),
        pot=36,
        minimum_raise=2,
        current_bet=0,
        player_stack=194,
        legal_actions=("check", "bet", "all-in"),
        request_id="table-1/17:9:1",
        game_type="texas-holdem",
        hand_id="table-1/17",
        hand_number=17,
        player_id="player-4",
        seat_number=3,
        button_seat=5,
        to_call=0,
        min_raise_to=2,
        max_raise_to=194,
        deadline_ms=10_000,
        players=tuple(
            PlayerView(
                player_id=f"player-{seat + 1}",
                display_name=f"Caller {seat + 1}",
                seat_number=seat,
                stack=194,
                bet=0,
                status="active",
            )
            for seat in range(6)
        ),
        history=tuple(
            PastAction(
                player_id=f"player-{number % 6 + 1}",
                betting_round="preflop",
                action="call",
                amount=2,
            )
            for number in range(history)
        ),
    )


def print_report(report: dict[str, Any]) -> None:
    """Print the report as one JSON line; exit with 1 if it missed a limit."""
    print(json.dumps(report))
    sys.exit(1 if report["missed"] else 0)
