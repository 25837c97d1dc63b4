"""What table processes do and cost: decisions per second of 1, 2 and 4, and a hosted table's price.

Four parts, each with real processes and one lobby in memory:
`play`: 8 six-seat rooms, spread over 1, 2 and 4 table processes; the floor is the bare call of
bench/floor.py. `rest`: one process of 1, 10, 100 and 1,000 tables that announce themselves.
`rooms`: the same process with a started room at each table, which waits at its first decision.
`kept`: what tables keep of the hands that they played.
Memory is what a process does not share (anonymous pages). Prints one JSON line.
Limits: 2 table processes make at least 0.9 of the decisions of 1, since lobby, players and tables
share the cores; a hosted table with a room and the hands that it keeps takes at most 2 MB.
"""

import argparse
import asyncio
import os
from statistics import median
from time import perf_counter
from typing import Any

import uvloop
from floor import floor_calls_per_s
from local_casino import LocalCasino, Plan, local_casino, rounded
from rig import print_report

PROCESSES = (1, 2, 4)
ROOMS, SEATS = 8, 6
LEAST_OF_ONE = 0.9
MOST_MB = 2.0
WARM_UP_S = 3.0
OPENED_AT_ONCE = 8
FLOOR_CALLS = 10_000
IN_MEMORY = {"CASINO_LOBBY_DATABASE": "memory"}
WAITING = {"paceMs": 60_000}
"""Rooms that play no decision within a minute of their deal."""
KEPT_ROOMS, HANDS_KEPT = 4, 1_000


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


async def host(tables: int, rooms: int, seconds: float) -> dict[str, Any]:
    """Return memory and CPU of one process of announced tables: at rest, and with rooms."""
    plan = Plan(tables=tables, players=max(1, 2 * rooms), settings=IN_MEMORY, is_announced=True)
    began = perf_counter()
    async with local_casino(plan) as casino:
        await casino.until_announced(tables)
        announced_s = perf_counter() - began
        at_rest = await resting(casino, tables, seconds)
        report: dict[str, Any] = {"tables": tables, "announced_s": announced_s, "rest": at_rest}
        if rooms:
            await open_rooms(casino, rooms, 2, is_placed=False, **WAITING)
            await casino.until_running()
            if await casino.hands() > 0:
                raise RuntimeError("the rooms play: they do not rest")
            report["rooms"] = await resting(casino, tables, seconds)
    return report


async def resting(casino: LocalCasino, tables: int, seconds: float) -> dict[str, float]:
    """Return memory, and CPU over some seconds in which only announcements are sent."""
    await asyncio.sleep(1.0)  # until the work of the last command is over
    before, began = casino.cpu(), perf_counter()
    announced = await casino.announcements()
    await asyncio.sleep(seconds)
    cpu = {role: spent - before[role] for role, spent in casino.cpu().items()}
    elapsed = perf_counter() - began
    announcements = await casino.announcements() - announced
    memory = casino.memory()
    return {
        "tables_mb": memory["tables"],
        "lobby_mb": memory["lobby"],
        "announcements_per_s": announcements / elapsed,
        "table_cpu_s_per_minute": cpu["tables"] / tables / elapsed * 60,
        "lobby_us_per_announcement": cpu["lobby"] / max(1.0, announcements) * 1e6,
    }


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


def per_table(large: dict[str, Any], small: dict[str, Any], state: str = "rest") -> float:
    """Return the MB of each table that a larger process hosts beyond those of a small one.

    >>> one = {"tables": 1, "rest": {"tables_mb": 50.0}}
    >>> per_table({"tables": 11, "rest": {"tables_mb": 55.0}}, one)
    0.5
    """
    more: float = large[state]["tables_mb"] - small["rest"]["tables_mb"]
    return more / float(max(1, large["tables"] - small["tables"]))


def verdict(
    runs: list[dict[str, Any]], hosts: list[dict[str, Any]], kept_mb: float
) -> dict[str, Any]:
    """Return the ratios that have limits, and the names of those that were missed.

    `runs` are those of `play` with 1 and more processes, `hosts` those of `host`, smallest first.
    """
    of_one = {
        str(run["table_processes"]): run["decisions_per_s"] / runs[0]["decisions_per_s"]
        for run in runs
    }
    with_rooms = [report for report in hosts[1:] if "rooms" in report]
    hosted = max((per_table(report, hosts[0], "rooms") for report in with_rooms), default=0.0)
    missed = [
        *(["of_one with 2 table processes"] if of_one["2"] < LEAST_OF_ONE else []),
        *(["hosted_table_mb"] if hosted + kept_mb > MOST_MB else []),
    ]
    return {"of_one": of_one, "hosted_table_mb": hosted + kept_mb, "missed": missed}


async def measure(
    tables: list[int], most_rooms: int, seconds: float, rounds: int
) -> dict[str, Any]:
    """Run all parts."""
    floors: list[float] = []
    rounds_of: dict[int, list[dict[str, Any]]] = {processes: [] for processes in PROCESSES}
    for _ in range(rounds):
        floors.append(await floor_calls_per_s(FLOOR_CALLS, ROOMS))
        for processes, runs in rounds_of.items():
            runs.append(await play(processes, seconds))
    runs = [median_run(played) for played in rounds_of.values()]
    hosts = [await host(count, min(count, most_rooms), seconds) for count in tables]
    kept_mb = await kept(HANDS_KEPT)
    floor = median(floors)
    return {
        "bench": "fleet",
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "floor_calls_per_s": floor,
        "play": [{**run, "of_floor": run["decisions_per_s"] / floor} for run in runs],
        "hosts": [{**report, "mb_per_table": per_table(report, hosts[0])} for report in hosts],
        "mb_of_1000_hands": kept_mb,
        **verdict(runs, hosts, kept_mb),
        "floor": {"of_one with 2 table processes": LEAST_OF_ONE, "hosted_table_mb": MOST_MB},
    }


def median_run(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the run with the median rate."""
    return sorted(runs, key=lambda run: float(run["decisions_per_s"]))[len(runs) // 2]


def main() -> None:
    """Parse the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, nargs="+", default=[1, 10, 100, 1000])
    parser.add_argument("--rooms", type=int, default=200, help="at most so many started rooms")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    report = measure(arguments.tables, arguments.rooms, arguments.seconds, arguments.rounds)
    print_report(rounded(uvloop.run(report)))


if __name__ == "__main__":
    main()
