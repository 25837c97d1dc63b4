"""Faults that a seed plans for a casino, round by round.

A round can be repeated by its seed and number.
"""

import random
from dataclasses import dataclass
from typing import Literal

Fault = Literal["kill", "end", "freeze", "lost_tail", "network"]
STYLES = ("caller", "random", "maniac")
LAUNCHED, NETWORK = "launched table", "network"
TABLES = ("table-1", "table-2")
VICTIMS = ("lobby", *TABLES, LAUNCHED, *STYLES, NETWORK)


@dataclass(frozen=True)
class PlannedFault:
    """One fault of a round; times in seconds.

    `part` is how much of a tail is left.
    """

    victim: str
    fault: Fault
    after_s: float
    lasts_s: float
    part: float = 1.0


def plan(seed: int, number: int) -> tuple[PlannedFault, ...]:
    """Return the faults of a round, which follow from the seed and the round."""
    dice = random.Random(f"{seed}:{number}")
    return tuple(
        _planned(dice, victim) for victim in dice.sample(VICTIMS, dice.choice((1, 1, 2, 2, 3)))
    )


def _planned(dice: random.Random, victim: str) -> PlannedFault:
    after_s = round(dice.uniform(0, 1), 2)
    if victim == NETWORK:
        return PlannedFault(victim, "network", after_s, round(dice.uniform(0.5, 3), 2))
    faults: list[Fault] = ["kill", "kill", "kill", "end", "freeze"]
    fault = dice.choice([*faults, "lost_tail"] if victim in TABLES else faults)
    longest_s = dice.choice((0.3, 1.0, 6.0)) if fault == "freeze" else dice.choice((0, 0.5, 2))
    return PlannedFault(
        victim,
        fault,
        after_s,
        round(dice.uniform(0, longest_s), 2),
        round(dice.random(), 2) if fault == "lost_tail" else 1.0,
    )
