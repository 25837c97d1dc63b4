"""Throughput of a whole casino: 8 six-seat tables, 48 example players, one lobby.

Prints one JSON line: decisions and hands per second, memory per process, and decisions as a share
of the calls per second of two floors with requests of the same size: the bare protocol
(bench/floors/bare.py), and a bare ASGI application with the kit's client (bench/floors/floor.py).
Each run is repeated with journals and the lobby's database on disk.
Limits: at least 0.45 of the second floor with 2 player processes; on disk at least 0.60 of the same
run in memory.
"""

import argparse
import asyncio
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import psutil
import uvloop
from floors.bare import bare_calls_per_s
from floors.floor import floor_calls_per_s
from local_casino import LocalCasino, Plan, local_casino
from rig import print_report, question

TABLES, SEATS = 8, 6
WARM_UP_S = 3.0
LEAST_OF_FLOOR = 0.45
LEAST_ON_DISK = 0.60
IN_MEMORY = {"CASINO_LOBBY_DATABASE": "memory"}
COMPARED = 2
"""The player processes of the runs with a limit."""
_CALLS = 15_000
"""Calls to a floor, as many in flight as there are tables."""


@dataclass
class Run:
    """Results of one setup."""

    decisions_per_s: float
    hands_per_s: float
    megabytes: dict[str, float]


async def play(player_processes: int, seconds: float, data: Path | None = None) -> Run:
    """Play at all tables and measure the rate; without `data` nothing is kept on disk."""
    plan = Plan(
        tables=TABLES,
        player_processes=player_processes,
        players=TABLES * SEATS // player_processes,
        settings=IN_MEMORY if data is None else {},
        data=data,
    )
    async with local_casino(plan) as casino:
        rooms = [f"room-{number}" for number in range(TABLES)]
        for room in rooms:
            await casino.open(room, SEATS)
        await asyncio.sleep(WARM_UP_S)
        decisions, hands, began = (
            await casino.decisions(),
            await casino.hands(),
            time.perf_counter(),
        )
        await asyncio.sleep(seconds)
        decisions, hands = await casino.decisions() - decisions, await casino.hands() - hands
        elapsed = time.perf_counter() - began
        for room in rooms:
            await casino.check_chips(room, SEATS)
        return Run(decisions / elapsed, hands / elapsed, megabytes_each(casino))


def megabytes_each(casino: LocalCasino) -> dict[str, float]:
    """Return the resident memory of a process of each role; the median, if there are several."""
    return {
        role: round(
            median(psutil.Process(process.pid).memory_info().rss for process in processes) / 2**20
        )
        for role, processes in casino.processes.items()
    }


async def measure(seconds: float, rounds: int) -> dict[str, Any]:
    """Run the floors and the casino in turns."""
    floors: list[float] = []
    bare: list[float] = []
    runs: dict[int, list[Run]] = {COMPARED: [], 6: [], 16: []}
    disk_runs: list[Run] = []
    for _ in range(rounds):
        for processes, setup_runs in runs.items():
            floors.append(await floor_calls_per_s(_CALLS, TABLES))
            bare.append(await bare_calls_per_s(_CALLS, TABLES))
            setup_runs.append(await play(processes, seconds))
            if processes == COMPARED:  # right after the run it is compared with
                with TemporaryDirectory() as directory:
                    disk_runs.append(await play(processes, seconds, Path(directory)))
    durable = median(
        disk.decisions_per_s / memory.decisions_per_s
        for disk, memory in zip(disk_runs, runs[COMPARED], strict=True)
    )

    def share(setup_runs: list[Run], floor: list[float]) -> float:
        return median(run.decisions_per_s for run in setup_runs) / median(floor)

    of_floor = share(runs[COMPARED], floors)
    return {
        "bench": "casino",
        "tables": TABLES,
        "players": TABLES * SEATS,
        "seconds": seconds,
        "request_bytes": len(question().model_dump_json()),
        "floor_calls_per_s": round(median(floors)),
        "bare_calls_per_s": round(median(bare)),
        "runs": [
            {
                "player_processes": processes,
                "decisions_per_s": round(median(run.decisions_per_s for run in setup_runs)),
                "hands_per_s": round(median(run.hands_per_s for run in setup_runs)),
                "of_floor": round(share(setup_runs, floors), 2),
                "of_bare": round(share(setup_runs, bare), 3),
                "megabytes": setup_runs[-1].megabytes,
            }
            for processes, setup_runs in runs.items()
        ],
        "on_disk": {
            "player_processes": COMPARED,
            "decisions_per_s": round(median(run.decisions_per_s for run in disk_runs)),
            "of_memory": round(durable, 2),
            "of_bare": round(share(disk_runs, bare), 3),
            "megabytes": disk_runs[-1].megabytes,
        },
        "floor": {
            "of_floor with 2 player processes": LEAST_OF_FLOOR,
            "on_disk.of_memory": LEAST_ON_DISK,
        },
        "missed": [
            *(["of_floor with 2 player processes"] if of_floor < LEAST_OF_FLOOR else []),
            *(["on_disk.of_memory"] if durable < LEAST_ON_DISK else []),
        ],
    }


def main() -> None:
    """Parse the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args()
    print_report(uvloop.run(measure(arguments.seconds, arguments.rounds)))


if __name__ == "__main__":
    main()
