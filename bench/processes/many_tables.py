"""Many tables in one process: what a decision loses, when all answer, and the memory of each.

Three parts, each with real processes and one lobby in memory:
`play`: six-seat rooms at 8 tables of a process and at 64, in turns; two player processes.
`start`: 256 hosted tables; the seconds from the start of the process to the last reply, when all
are asked for their cards, 16 at a time.
`crowd`: 1,000 tables of two players, a decision a second each; each completes a hand. The memory of
a table is the difference of the resident memory to a process of one table that has played as well,
divided by their number.
Prints one JSON line. Limits: 64 tables make at least 0.95 of the decisions of 8 (median of the
rounds); 256 tables answer within 3 s; every one of the 1,000 plays; a table takes at most 2 MB.
"""

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import httpx
import psutil
import uvloop

sys.path.append(str(Path(__file__).parents[1]))

from local_casino import LocalCasino, Plan, addresses, local_casino, progress, rounded, until
from rig import free_port, print_report, server

FEW, MANY, HOSTED, CROWD = 8, 64, 256, 1_000
SEATS, CROWD_SEATS = 6, 2
PLAYER_PROCESSES = 2
LEAST_OF_FEW = 0.95
MOST_START_S = 3.0
MOST_MB = 2.0
WARM_UP_S = 3.0
OPENED_AT_ONCE = 4
PAUSE_S = 0.01
_CONNECTIONS = httpx.Limits(max_connections=16)
PACED = {"paceMs": 1_000}
"""The rooms of a crowd, so that the first ones do not hold up the opening of the others."""
IN_MEMORY = {"CASINO_LOBBY_DATABASE": "memory"}


@dataclass(frozen=True)
class Played:
    """What the tables of a process decided over some seconds."""

    decisions_per_s: float
    us: dict[str, float]
    """CPU of each role, in microseconds a decision."""


@dataclass(frozen=True)
class Crowd:
    """A process of tables that have all played a hand."""

    tables: int
    hands: int
    """Completed hands of all rooms."""
    resident_mb: float


async def open_rooms(casino: LocalCasino, rooms: int, seats: int, **config: Any) -> None:
    """Open a room at each of so many tables and fill it, a few at a time."""
    numbers = iter(range(rooms))

    async def open_next() -> None:
        for number in numbers:
            await casino.open(f"room-{number}", seats, **config)

    await asyncio.gather(*(open_next() for _ in range(OPENED_AT_ONCE)))
    await casino.until_running()


def hosting(tables: int, seats: int) -> Plan:
    """Return a casino whose tables are in one process."""
    return Plan(
        tables=tables,
        player_processes=PLAYER_PROCESSES,
        players=tables * seats // PLAYER_PROCESSES,
        settings=IN_MEMORY,
    )


async def play(tables: int, seconds: float) -> Played:
    """Play at all tables of a process, and measure."""
    async with local_casino(hosting(tables, SEATS)) as casino:
        await open_rooms(casino, tables, SEATS)
        await asyncio.sleep(WARM_UP_S)
        cpu, decided, began = casino.cpu(), await casino.decisions(), time.perf_counter()
        await asyncio.sleep(seconds)
        after, decisions = casino.cpu(), await casino.decisions() - decided
        elapsed = time.perf_counter() - began
        for room in range(tables):
            await casino.check_chips(f"room-{room}", SEATS)
    us = {role: (spent - cpu[role]) / decisions * 1e6 for role, spent in after.items()}
    return Played(decisions / elapsed, us)


async def all_answer_after_s(tables: int) -> float:
    """Start a process of tables; return the seconds until the last of them has sent its card."""
    port = free_port()
    settings = {"CASINO_TABLE_COUNT": str(tables), "CASINO_TABLE_PROCESSES": "1"}
    urls = addresses([f"http://127.0.0.1:{port}"], "tables", tables)
    began = time.perf_counter()
    with server("-m", "casino_table", "--port", str(port), environment=settings):
        async with httpx.AsyncClient(timeout=60, limits=_CONNECTIONS) as http:

            async def card_of(url: str) -> None:
                while True:
                    try:
                        reply = await http.get(f"{url}/.well-known/agent-card.json")
                        reply.raise_for_status()
                    except httpx.TransportError:  # it does not listen yet
                        await asyncio.sleep(PAUSE_S)
                    else:
                        return

            await card_of(urls[0])  # alone: until the process listens, one asks as well as all
            await asyncio.gather(*map(card_of, urls))
        return time.perf_counter() - began


async def crowd(tables: int) -> Crowd:
    """Let every table of a process play a hand; return its memory then."""
    async with local_casino(hosting(tables, CROWD_SEATS)) as casino:
        await open_rooms(casino, tables, CROWD_SEATS, **PACED)

        async def have_played() -> bool:
            return all(room["handCount"] > 0 for room in await casino.rooms())

        await until(have_played, every_s=1.0)
        resident = psutil.Process(casino.processes["tables"][0].pid).memory_info().rss
        return Crowd(tables, await casino.hands(), resident / 2**20)


def verdict(ratios: Sequence[float], start_s: float, crowds: Sequence[Crowd]) -> dict[str, Any]:
    """Return the figures that have limits, and the names of those that were missed.

    `crowds` are one table and many.

    >>> small, large = Crowd(1, 9, 70.0), Crowd(11, 99, 80.0)
    >>> verdict([0.93, 0.96, 0.97], 2.9, [small, large])
    {'many_of_few': 0.96, 'start_s': 2.9, 'table_mb': 1.0, 'missed': []}
    >>> verdict([0.90, 0.94, 0.97], 3.1, [small, Crowd(11, 99, 100.0)])["missed"]
    ['many_of_few', 'start_s', 'table_mb']
    """
    small, large = crowds
    of_few = median(ratios)
    table_mb = (large.resident_mb - small.resident_mb) / (large.tables - small.tables)
    return {
        "many_of_few": of_few,
        "start_s": start_s,
        "table_mb": table_mb,
        "missed": [
            *(["many_of_few"] if of_few < LEAST_OF_FEW else []),
            *(["start_s"] if start_s > MOST_START_S else []),
            *(["table_mb"] if table_mb > MOST_MB else []),
        ],
    }


def medians(runs: Sequence[Played]) -> dict[str, Any]:
    """Return the medians of runs."""
    return {
        "decisions_per_s": median(run.decisions_per_s for run in runs),
        "us": {role: median(run.us[role] for run in runs) for role in runs[0].us},
    }


async def measure(seconds: float, rounds: int, most: int) -> dict[str, Any]:
    """Run all parts."""
    load = os.getloadavg()[0]
    few: list[Played] = []
    many: list[Played] = []
    starts: list[float] = []
    for _ in range(rounds):
        few.append(await play(FEW, seconds))
        many.append(await play(MANY, seconds))
        starts.append(await all_answer_after_s(HOSTED))
        progress((few[-1], many[-1], starts[-1]))
    crowds = [await crowd(1), await crowd(most)]
    progress(crowds)
    ratios = [
        large.decisions_per_s / small.decisions_per_s
        for small, large in zip(few, many, strict=True)
    ]
    return {
        "bench": "many_tables",
        "load": load,
        "play": {str(FEW): medians(few), str(MANY): medians(many)},
        "ratios": ratios,
        "hosted": HOSTED,
        "crowd": {str(each.tables): vars(each) for each in crowds},
        **verdict(ratios, median(starts), crowds),
        "floor": {"many_of_few": LEAST_OF_FEW, "start_s": MOST_START_S, "table_mb": MOST_MB},
    }


def main() -> None:
    """Parse the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--crowd", type=int, default=CROWD, help="the tables of the last part")
    arguments = parser.parse_args()
    report = measure(arguments.seconds, arguments.rounds, arguments.crowd)
    print_report(rounded(uvloop.run(report)))


if __name__ == "__main__":
    main()
