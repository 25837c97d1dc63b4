"""Hold'em hands per second against pokerkit, all with the same random policy.

Blinds 50/100, stacks of 100 big blinds. Four variants of this project's engine:

* `hand`: the bare engine with its checks and its history;
* `game`: the `Game` interface with a seeded deck, legal actions and events;
* `game_with_states`: the same, with the public and private state built for every decision;
* `game_alone`: as `game`, with recorded decisions, so that the policy takes no time.

If `make compiled` has built the rules into `.compiled`, another process plays the variants with
these. Contenders run in turns, so other load affects all equally; medians are compared.
Prints one JSON line. Exits with 1 if a limit is missed.
"""

import warnings
from statistics import median
from typing import Any

from rig import print_report
from rules.plays import PLAYS
from rules.stopwatch import COMPILED, CompiledStopwatch, Stopwatch

ROUNDS = 11
SEATS = (2, 6, 9)
FLOORS = {
    "hand": {2: 50, 6: 100, 9: 150},
    "game": {2: 40, 6: 65, 9: 115},
    "game_with_states": {2: 23, 6: 36, 9: 60},
    "game_alone": {2: 45, 6: 75, 9: 130},
}
"""Required rate as a multiple of pokerkit, by variant and seats."""
COMPILED_FLOORS = {"game_alone": 2.0}
"""Required rate of the compiled rules as a multiple of the interpreted ones, with any seats."""


def measure(seats: int, compiled: CompiledStopwatch | None) -> dict[str, float]:
    """Return the median hands per second of each contender; compiled ones are `compiled NAME`."""
    stopwatch = Stopwatch()
    rates: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        for name in PLAYS:
            rates.setdefault(name, []).append(stopwatch.rate(name, seats))
            if compiled is not None and name in FLOORS:
                rates.setdefault(f"compiled {name}", []).append(compiled.rate(name, seats))
    return {name: median(values) for name, values in rates.items()}


def ratios(medians: dict[int, dict[str, float]], over: str, under: str) -> dict[str, Any]:
    """Return the ratio of two contenders by variant, which is `*` in their names, and seats."""
    return {
        name: {
            seats: round(rates[over.replace("*", name)] / rates[under.replace("*", name)], 2)
            for seats, rates in medians.items()
        }
        for name in FLOORS
    }


def main() -> None:
    """Measure and print the report."""
    warnings.simplefilter("ignore")  # pokerkit warns about its own automated showdowns
    compiled = CompiledStopwatch() if COMPILED.exists() else None
    medians = {seats: measure(seats, compiled) for seats in SEATS}
    to_pokerkit = ratios(medians, "*", "pokerkit")
    missed = [
        f"{name} at {seats} seats"
        for name, floors in FLOORS.items()
        for seats, floor in floors.items()
        if to_pokerkit[name][seats] < floor
    ]
    report = {
        "bench": "engine",
        "unit": "hands per second",
        "per_second_by_seats": {
            seats: {name: round(rate) for name, rate in rates.items()}
            for seats, rates in medians.items()
        },
        "ratio_to_pokerkit": to_pokerkit,
        "floor": FLOORS,
    }
    if compiled is not None:
        gains = ratios(medians, "compiled *", "*")
        report["compiled_ratio_to_pokerkit"] = ratios(medians, "compiled *", "pokerkit")
        report["compiled_ratio_to_interpreted"] = gains
        report["compiled_floor"] = COMPILED_FLOORS
        missed += [
            f"compiled {name} at {seats} seats"
            for name, floor in COMPILED_FLOORS.items()
            for seats, gain in gains[name].items()
            if gain < floor
        ]
    print_report({**report, "missed": missed})


if __name__ == "__main__":
    main()
