"""Hands per second of a match in process, against pokerkit and against the casino over HTTP.

All play the same: callers, with six players 24 decisions a hand, heads-up 8. `functions` are two
functions of a bot's file, each asked with the whole question; `nits` are two that mostly fold, so
that a hand has the length of a usual one. Everything is counted per second of CPU time, over all
processes, so that other load on the machine changes little. The casino's lobby, tables and players
are those of bench/casino.py.

Memory is compared after a tenth of the hands and after all of them, with every block written as
JSON and dropped. `--long` plays a million hands.

Prints one JSON line. Exits with 1 if a limit is missed.
"""

import argparse
import asyncio
import gc
import os
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import psutil
from casino import Run
from casino import play as play_over_http
from casino_match.domain.block import block_to_json
from casino_match.domain.plan import Plan
from casino_match.luck.luck_controls import controls_of
from casino_match.play.match_hand import replay
from casino_match.play.played_block import play_block
from casino_match.players.local_players import local_players
from pokerkit import Automation, NoLimitTexasHoldem
from rig import print_report

LEAST_OF_HTTP = 25
"""Required hands per second as a multiple of those over HTTP, both per core, six-handed."""
LEAST_OF_POKERKIT = 5
MOST_GROWTH_MB = 4.0
SHORT, LONG = 30_000, 1_000_000
"""Hands for the comparison of memory."""
PLAYER_PROCESSES = 2

CALLER = """
def act(turn):
    return {"action": "check" if "check" in turn["legalActions"] else "call"}
"""
NIT = """
def act(turn):
    first, second = turn["holeCards"]
    if first["rank"] == second["rank"] and "raise" in turn["legalActions"]:
        return {"action": "raise", "amount": turn["minRaiseTo"]}
    if first["rank"] == second["rank"] and "call" in turn["legalActions"]:
        return {"action": "call"}
    return {"action": "check" if "check" in turn["legalActions"] else "fold"}
"""


def plan_of(players: list[str], hands: int, blocks: int = 1) -> Plan:
    """Return the plan of a match between players, of so many hands in all."""
    decks = max(1, hands // len(players) // blocks)
    named = [{"name": f"player {number}", "player": bot} for number, bot in enumerate(players)]
    deal = {"seed": "bench", "decks": decks * blocks, "decks_per_block": decks}
    return Plan.model_validate({"players": named, "deal": deal})


def match_hands(players: list[str], hands: int) -> int:
    """Play a block in process; returns its number of hands."""
    plan = plan_of(players, hands)
    block = play_block(plan, 0, local_players(plan))
    return sum(len(deck.hands) for deck in block.decks)


def pokerkit_hands(seats: int, hands: int) -> int:
    """Let pokerkit play hands of callers; returns their number."""
    for _ in range(hands):
        state = NoLimitTexasHoldem.create_state(
            tuple(Automation),
            ante_trimming_status=True,
            raw_antes=0,
            raw_blinds_or_straddles=(1, 2),
            min_bet=2,
            raw_starting_stacks=200,
            player_count=seats,
        )
        while state.status:
            state.check_or_call()
    return hands


def controls_us(players: list[str], hands: int) -> float:
    """Return the CPU microseconds that the control variates of a hand take."""
    plan = plan_of(players, hands)
    block = play_block(plan, 0, local_players(plan))
    over = [
        replay(plan, deck.number, seating, text)
        for deck in block.decks
        for seating, text in enumerate(deck.hands)
    ]
    began = time.process_time()
    for hand in over:
        controls_of(hand)
    return (time.process_time() - began) / len(over) * 1e6


def per_cpu_second(play: Callable[[], int]) -> float:
    """Return the hands per second of CPU time of this process."""
    began = time.process_time()
    hands = play()
    return hands / (time.process_time() - began)


async def http_hands_per_core(seconds: float) -> tuple[float, float]:
    """Return the hands per second of CPU time of the casino, and how many cores it used."""
    samples: list[tuple[float, float]] = []

    async def sample() -> None:
        while True:
            samples.append((time.perf_counter(), _cpu_of_children()))
            await asyncio.sleep(0.25)

    sampling = asyncio.create_task(sample())
    try:
        run: Run = await play_over_http(PLAYER_PROCESSES, seconds)
    finally:
        sampling.cancel()
    # Starting and stopping is left out: the steady part is the end of the longest rise.
    ended, total = max(samples, key=lambda at: at[1])
    steady = [at for at in samples if ended - seconds <= at[0] <= ended]
    cores = (total - steady[0][1]) / (ended - steady[0][0])
    return run.hands_per_s / cores, cores


def _cpu_of_children() -> float:
    total = 0.0
    for child in psutil.Process().children(recursive=True):
        try:
            times = child.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system
    return total


def growth_mb(players: list[str], hands: int) -> float:
    """Return by how much the process grows from a tenth of the hands to the end, in MB."""
    blocks = 40
    plan = plan_of(players, hands, blocks)
    table = local_players(plan)
    before = 0
    for number in range(plan.blocks):
        block_to_json(play_block(plan, number, table))
        if number == plan.blocks // 10 - 1:
            gc.collect()
            before = psutil.Process().memory_info().rss
    gc.collect()
    return (psutil.Process().memory_info().rss - before) / 2**20


def measure(folder: Path, rounds: int, seconds: float, hands: int) -> dict[str, Any]:
    """Measure everything in turns."""
    caller, nit = folder / "caller.py", folder / "nit.py"
    caller.write_text(CALLER)
    nit.write_text(NIT)
    contenders: dict[str, Callable[[], int]] = {}
    for seats in (2, 6):
        contenders |= {
            f"functions {seats}": partial(match_hands, [f"{caller}:act"] * seats, 600),
            f"nits {seats}": partial(match_hands, [f"{nit}:act"] * seats, 3_000),
            f"styles {seats}": partial(match_hands, ["style:caller"] * seats, 600),
            f"pokerkit {seats}": partial(pokerkit_hands, seats, 120 // seats),
        }
    for play in contenders.values():
        play()  # what is loaded or built once is not measured
    rates: dict[str, list[float]] = {name: [] for name in contenders}
    over_http: list[float] = []
    cores: list[float] = []
    for _ in range(rounds):
        for name, play in contenders.items():
            rates[name].append(per_cpu_second(play))
        per_core, used = asyncio.run(http_hands_per_core(seconds))
        over_http.append(per_core)
        cores.append(used)
    rate = {name: median(values) for name, values in rates.items()}
    of_http = rate["functions 6"] / median(over_http)
    of_pokerkit = {str(n): rate[f"functions {n}"] / rate[f"pokerkit {n}"] for n in (2, 6)}
    grown = growth_mb([f"{caller}:act", f"{nit}:act"], hands)
    missed = [
        *(["functions to http"] if of_http < LEAST_OF_HTTP else []),
        *(["functions to pokerkit"] if min(of_pokerkit.values()) < LEAST_OF_POKERKIT else []),
        *(["growth_mb"] if grown > MOST_GROWTH_MB else []),
    ]
    return {
        "bench": "match",
        "unit": "hands per second of CPU time",
        "load": [round(load, 1) for load in os.getloadavg()],
        "per_second": {name: round(value) for name, value in rate.items()},
        "http 6": {"per_second": round(median(over_http), 1), "cores": round(median(cores), 2)},
        "of_which_controls_us": {
            "functions 2": round(controls_us([f"{caller}:act"] * 2, 300)),
            "nits 2": round(controls_us([f"{nit}:act"] * 2, 600)),
            "functions 6": round(controls_us([f"{caller}:act"] * 6, 300)),
            "nits 6": round(controls_us([f"{nit}:act"] * 6, 600)),
        },
        "functions_to_http": round(of_http, 1),
        "functions_to_pokerkit": {seats: round(ratio, 1) for seats, ratio in of_pokerkit.items()},
        "growth_mb": {"hands": hands, "megabytes": round(grown, 2)},
        "floor": {
            "functions_to_http": LEAST_OF_HTTP,
            "functions_to_pokerkit": LEAST_OF_POKERKIT,
            "growth_mb": MOST_GROWTH_MB,
        },
        "missed": missed,
    }


def main() -> None:
    """Parse the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=4, help="of each run over HTTP")
    parser.add_argument("--long", action="store_true", help="a million hands for the memory")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # pokerkit warns about its own automated showdowns
    with TemporaryDirectory() as folder:
        hands = LONG if arguments.long else SHORT
        report = measure(Path(folder), arguments.rounds, arguments.seconds, hands)
    print_report(report)


if __name__ == "__main__":
    main()
