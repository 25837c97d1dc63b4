"""What table processes do and cost: decisions per second of 1, 2 and 4, and a hosted table's price.

Four parts, each with real processes and one lobby in memory:
`play`: 8 six-seat rooms, spread over 1, 2 and 4 table processes; the floor is the bare call of
bench/floors/floor.py. `rest`: one process of 1, 10, 100 and 1,000 tables that announce themselves.
`rooms`: the same process with a started room at each table, which waits at its first decision.
`kept`: what tables keep of the hands that they played.
Memory is what a process does not share (anonymous pages). Prints one JSON line.
Limits: 2 table processes make at least 0.9 of the decisions of 1, since lobby, players and tables
share the cores; a hosted table with a room and the hands that it keeps takes at most 2 MB.
"""

import argparse
import asyncio
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import median
from time import perf_counter
from typing import Any

import uvloop
from floors.floor import floor_calls_per_s
from local_casino import LocalCasino, Plan, local_casino, progress, rounded
from rig import print_report

PROCESSES = (1, 2, 4)
ROOMS, SEATS = 8, 6
LEAST_OF_ONE = 0.9
MOST_MB = 2.0
WARM_UP_S = 3.0
OPENED_AT_ONCE = 4
FLOOR_CALLS = 10_000
IN_MEMORY = {"CASINO_LOBBY_DATABASE": "memory"}
WAITING = {"paceMs": 60_000}
"""Rooms that play no decision within a minute of their deal."""
KEPT_ROOMS = 4


@dataclass(frozen=True)
class Rest:
    """Processes in which nothing but announcements happens."""

    tables_mb: float
    lobby_mb: float
    table_cores: float
    lobby_cores: float
    announcements_per_s: float


@dataclass(frozen=True)
class Host:
    """One process of tables: before any room, and with rooms that are started."""

    tables: int
    rest: Rest
    rooms: int
    started: Rest

    @property
    def room_mb(self) -> float:
        """The memory that all rooms take; the first one also loads modules."""
        return self.started.tables_mb - self.rest.tables_mb


async def play(table_processes: int, seconds: float) -> dict[str, Any]:
    """Return the rate, and the CPU per decision of each role."""
    plan = Plan(
        table_processes=table_processes,
        tables=ROOMS // table_processes,
        player_processes=2,
        players=ROOMS * SEATS // 2,
        settings=IN_MEMORY,
    )
    async with local_casino(plan) as casino:
        await open_rooms(casino, ROOMS, SEATS)
        await asyncio.sleep(WARM_UP_S)
        before, began, decided = casino.cpu(), perf_counter(), await casino.decisions()
        await asyncio.sleep(seconds)
        after, ended, decisions = casino.cpu(), perf_counter(), await casino.decisions() - decided
        for room in range(ROOMS):
            await casino.check_chips(f"room-{room}", SEATS)
    cpu = {role: after[role] - before[role] for role in after}
    return {
        "table_processes": table_processes,
        "decisions_per_s": decisions / (ended - began),
        "us": {role: spent / decisions * 1e6 for role, spent in cpu.items()},
        "cores": sum(cpu.values()) / (ended - began),
    }


async def open_rooms(
    casino: LocalCasino, rooms: int, seats: int, *, is_placed: bool = True, **config: Any
) -> None:
    """Open rooms and fill them, a few at a time."""
    numbers = iter(range(rooms))

    async def open_next() -> None:
        for number in numbers:
            await casino.open(f"room-{number}", seats, is_placed=is_placed, **config)

    await asyncio.gather(*(open_next() for _ in range(OPENED_AT_ONCE)))


async def host(tables: int, most_rooms: int, seconds: float) -> Host:
    """Return what one process of announced tables costs: at rest, and with rooms."""
    rooms = min(tables, most_rooms)
    plan = Plan(tables=tables, players=2 * rooms, settings=IN_MEMORY, is_announced=True)
    async with local_casino(plan) as casino:
        await casino.until_announced(tables)
        rest = await resting(casino, seconds)
        await open_rooms(casino, rooms, 2, is_placed=False, **WAITING)
        await casino.until_running()
        if await casino.hands() > 0:
            raise RuntimeError("the rooms play: they do not rest")
        return Host(tables, rest, rooms, await resting(casino, seconds))


async def resting(casino: LocalCasino, seconds: float) -> Rest:
    """Return memory, and CPU over some seconds in which only announcements are sent."""
    await asyncio.sleep(1.0)  # until the work of the last command is over
    before, began, announced = casino.cpu(), perf_counter(), await casino.announcements()
    await asyncio.sleep(seconds)
    cpu, announcements = casino.cpu(), await casino.announcements() - announced
    elapsed = perf_counter() - began
    memory = casino.memory()
    return Rest(
        memory["tables"],
        memory["lobby"],
        (cpu["tables"] - before["tables"]) / elapsed,
        (cpu["lobby"] - before["lobby"]) / elapsed,
        announcements / elapsed,
    )


async def kept(hands: int) -> float:
    """Return the MB that a table without a journal keeps of its hands."""
    plan = Plan(tables=KEPT_ROOMS, players=KEPT_ROOMS * SEATS, settings=IN_MEMORY)
    async with local_casino(plan) as casino:
        await open_rooms(casino, KEPT_ROOMS, SEATS)
        await casino.until_running()
        await casino.until_hands(KEPT_ROOMS * hands // 20)
        before = casino.memory()["tables"]
        await casino.until_hands(KEPT_ROOMS * hands)
        return (casino.memory()["tables"] - before) / KEPT_ROOMS


def per_table(hosts: Sequence[Host]) -> dict[str, float]:
    """Return what one more table costs: the largest process compared with the smallest.

    CPU is per announcement, and per minute of a table that announces itself. A room costs what it
    does in the process where it costs most: rooms use memory that many announcements have freed.

    >>> single = Host(1, Rest(80.0, 90.0, 0.0, 0.01, 0.2), 1, Rest(90.0, 91.0, 0.0, 0.01, 0.2))
    >>> many = Host(11, Rest(81.0, 92.0, 0.02, 0.05, 2.2), 11, Rest(94.0, 95.0, 0.0, 0.0, 0.0))
    >>> per_table([single, many])["idle_mb"], per_table([single, many])["room_mb"]
    (0.1, 0.3)
    >>> per_table([single, many])["lobby_us_per_announcement"]
    20000.0
    """
    small, large = hosts[0], hosts[-1]
    tables = max(1, large.tables - small.tables)
    announcements = max(0.001, large.rest.announcements_per_s - small.rest.announcements_per_s)
    table_cores = large.rest.table_cores - small.rest.table_cores
    lobby_cores = large.rest.lobby_cores - small.rest.lobby_cores
    return {
        "idle_mb": round((large.rest.tables_mb - small.rest.tables_mb) / tables, 3),
        "room_mb": round(
            max(
                (other.room_mb - small.room_mb) / max(1, other.rooms - small.rooms)
                for other in hosts
            ),
            3,
        ),
        "table_us_per_announcement": round(table_cores / announcements * 1e6, 1),
        "lobby_us_per_announcement": round(lobby_cores / announcements * 1e6, 1),
        "table_cpu_s_per_minute": round(table_cores / tables * 60, 5),
    }


def verdict(
    runs: Sequence[dict[str, Any]], costs: dict[str, float], kept_mb: float
) -> dict[str, Any]:
    """Return the ratios that have limits, and the names of those that were missed.

    `runs` are those of `play`, first the one with a single table process.

    >>> runs = [{"table_processes": n, "decisions_per_s": 1000.0 / n} for n in (1, 2)]
    >>> verdict(runs, {"idle_mb": 0.1, "room_mb": 0.3}, 1.2)["missed"]
    ['of_one.2']
    >>> verdict(runs[:1], {"idle_mb": 0.1, "room_mb": 0.8}, 1.2)["missed"]
    ['hosted_table_mb']
    """
    single = runs[0]["decisions_per_s"]
    of_one = {str(run["table_processes"]): run["decisions_per_s"] / single for run in runs}
    hosted = costs["idle_mb"] + costs["room_mb"] + kept_mb
    return {
        "of_one": of_one,
        "hosted_table_mb": hosted,
        "missed": [
            *(["of_one.2"] if of_one.get("2", 1.0) < LEAST_OF_ONE else []),
            *(["hosted_table_mb"] if hosted > MOST_MB else []),
        ],
    }


async def measure(
    tables: list[int], most_rooms: int, kept_hands: int, seconds: float, rounds: int
) -> dict[str, Any]:
    """Run all parts."""
    floors: list[float] = []
    rounds_of: dict[int, list[dict[str, Any]]] = {processes: [] for processes in PROCESSES}
    for _ in range(rounds):
        floors.append(await floor_calls_per_s(FLOOR_CALLS, ROOMS))
        for processes, runs in rounds_of.items():
            runs.append(await play(processes, seconds))
            progress(runs[-1])
    runs = [median_run(played) for played in rounds_of.values()]
    hosts: list[Host] = []
    for count in sorted(tables):
        hosts.append(await host(count, most_rooms, seconds))
        progress(hosts[-1])
    kept_mb = await kept(kept_hands)
    floor, costs = median(floors), per_table(hosts)
    return {
        "bench": "fleet",
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "floor_calls_per_s": floor,
        "play": [{**run, "of_floor": run["decisions_per_s"] / floor} for run in runs],
        "hosts": [asdict(report) for report in hosts],
        "per_table": costs,
        "kept_hands": kept_hands,
        "kept_mb": kept_mb,
        **verdict(runs, costs, kept_mb),
        "floor": {"of_one.2": LEAST_OF_ONE, "hosted_table_mb": MOST_MB},
    }


def median_run(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the run with the median rate."""
    return sorted(runs, key=lambda run: float(run["decisions_per_s"]))[len(runs) // 2]


def main() -> None:
    """Parse the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, nargs="+", default=[1, 10, 100, 1000])
    parser.add_argument("--rooms", type=int, default=200, help="at most so many started rooms")
    parser.add_argument(
        "--kept-hands", type=int, default=1_000, help="hands of each room of the last part"
    )
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    report = measure(
        arguments.tables,
        arguments.rooms,
        arguments.kept_hands,
        arguments.seconds,
        arguments.rounds,
    )
    print_report(rounded(uvloop.run(report)))


if __name__ == "__main__":
    main()
