"""This checkout beside another: whole casinos, and typed calls, of two interpreters in turns.

`python bench/versus.py PYTHON` takes the interpreter of the other checkout's virtual environment,
`.venv` in its root, and prints one JSON line. Every round plays each shape once with each checkout,
the order changing, so that the noise of the machine concerns both. `times` are the decisions per
second of this checkout divided by those of the other one in the same round, `us` the CPU of a
decision by role. This checkout runs as many table processes as the machine has cores (another
number is an option), which is what `casino up` does; the other runs one.
"""

import argparse
import asyncio
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import uvloop
from local_casino import LocalCasino, Plan, local_casino, progress, rounded
from rig import cpu_seconds, free_port, print_report, question, server, wait_for_port

WARM_UP_S = 2.0
MEMORY = {"CASINO_LOBBY_DATABASE": "memory"}


@dataclass(frozen=True)
class Shape:
    """What is played: rooms, seats at each, the processes of the players, and where it is kept."""

    rooms: int
    seats: int
    player_processes: int
    is_durable: bool = False


SHAPES = {
    "memory": Shape(8, 6, 2),
    "durable": Shape(8, 6, 2, is_durable=True),
    "wide": Shape(8, 2, 16),
    "heads-up": Shape(8, 2, 2),
}


@dataclass(frozen=True)
class Checkout:
    """One side: its interpreter, and how many table processes it runs."""

    interpreter: str
    table_processes: int


@dataclass(frozen=True)
class Played:
    """Decisions per second, and µs CPU of a decision by role."""

    decisions_per_s: float
    us: dict[str, float]


async def play(shape: Shape, checkout: Checkout, seconds: float) -> Played:
    """Play a shape with one checkout."""
    processes = checkout.table_processes
    with TemporaryDirectory() as directory:
        plan = Plan(
            table_processes=processes,
            tables=shape.rooms // processes,
            player_processes=shape.player_processes,
            players=shape.rooms * shape.seats // shape.player_processes,
            settings={} if shape.is_durable else MEMORY,
            interpreter=checkout.interpreter,
            data=Path(directory) if shape.is_durable else None,
        )
        async with local_casino(plan) as casino:
            rooms = [f"room-{number}" for number in range(shape.rooms)]
            await asyncio.gather(*(casino.open(room, shape.seats) for room in rooms))
            await casino.until_running()
            await asyncio.sleep(WARM_UP_S)
            played = await _played(casino, seconds)
            for room in rooms:
                await casino.check_chips(room, shape.seats)
    return played


async def _played(casino: LocalCasino, seconds: float) -> Played:
    clock = asyncio.get_running_loop().time
    cpu, began, decisions = casino.cpu(), clock(), await casino.decisions()
    await asyncio.sleep(seconds)
    spent, ended, reached = casino.cpu(), clock(), await casino.decisions()
    made = reached - decisions
    us = {role: (spent[role] - cpu[role]) / made * 1e6 for role in spent}
    return Played(made / (ended - began), us)


async def typed_call_us(interpreter: str, calls: int = 20_000, in_flight: int = 16) -> float:
    """Return the µs CPU of a typed call, with server and client of one checkout."""
    port = free_port()
    arguments = ("-m", "casino_player_example", "caller", "--port", str(port))
    with server(*arguments, interpreter=interpreter) as agent:
        await wait_for_port(port)
        program = str(Path(interpreter).parents[2] / "bench/agents/typed_calls.py")
        caller = await asyncio.create_subprocess_exec(
            *(interpreter, program, str(port), str(calls), str(in_flight)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        if caller.stdin is None or caller.stdout is None:
            raise RuntimeError("the calls have no pipes")
        caller.stdin.write(question().model_dump_json().encode())
        caller.stdin.close()
        await caller.stdout.readline()
        before = cpu_seconds(agent.pid)
        client_us = float(await caller.stdout.readline())
        server_us = (cpu_seconds(agent.pid) - before) / calls * 1e6
        await caller.wait()
    return client_us + server_us


async def measure(
    here: Checkout, other: Checkout, shapes: list[str], rounds: int, seconds: float
) -> dict[str, Any]:
    """Play each shape so many times, the checkouts in turns."""
    report: dict[str, Any] = {}
    for name in shapes:
        pairs: list[tuple[Played, Played]] = []
        for number in range(rounds):
            sides = (here, other) if number % 2 else (other, here)
            results = {side: await play(SHAPES[name], side, seconds) for side in sides}
            pairs.append((results[here], results[other]))
            progress((name, number, [round(played.decisions_per_s) for played in pairs[-1]]))
        times = [mine.decisions_per_s / theirs.decisions_per_s for mine, theirs in pairs]
        report[name] = {
            "times": {"min": min(times), "median": median(times)},
            "here": _summary([mine for mine, _ in pairs]),
            "other": _summary([theirs for _, theirs in pairs]),
        }
    calls = [
        (await typed_call_us(here.interpreter), await typed_call_us(other.interpreter))
        for _ in range(rounds)
    ]
    report["typed_call"] = {
        "of_other": median(mine / theirs for mine, theirs in calls),
        "here_us": median(mine for mine, _ in calls),
        "other_us": median(theirs for _, theirs in calls),
    }
    return report


def _summary(runs: list[Played]) -> dict[str, Any]:
    return {
        "decisions_per_s": median(run.decisions_per_s for run in runs),
        "us": {role: median(run.us[role] for run in runs) for role in runs[0].us},
    }


def main() -> None:
    """Parse the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", help="the interpreter of the other checkout's environment")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--shapes", nargs="*", choices=SHAPES, default=list(SHAPES)[:3])
    parser.add_argument("--table-processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--other-table-processes", type=int, default=1)
    least = "the least median of `times`, of each shape in order"
    parser.add_argument("--least", nargs="*", type=float, default=[], help=least)
    options = parser.parse_args()
    here = Checkout(sys.executable, options.table_processes)
    other = Checkout(options.other, options.other_table_processes)
    results = uvloop.run(measure(here, other, options.shapes, options.rounds, options.seconds))
    floor = dict(zip(options.shapes, options.least, strict=False))
    missed = [name for name, times in floor.items() if results[name]["times"]["median"] < times]
    print_report({"bench": "versus", **rounded(results), "floor": floor, "missed": missed})


if __name__ == "__main__":
    main()
