"""The luck of the hole cards: how much better than the average hand a seat was dealt. Pure."""

from functools import lru_cache
from itertools import combinations
from typing import Final

from casino_games.cards import DECK
from casino_games.holdem.deal import Hole
from casino_games.holdem.starting_hands import chen_points

_RAMPS: Final = ((6, 9), (9, 20))
"""Points at which a hand begins and ends to count as good, and as premium."""


def hole_luck(hole: Hole) -> tuple[float, ...]:
    """Return how good and how premium a hand is, 0..1 each, minus the mean of all hands."""
    return _luck()[frozenset(hole)]


@lru_cache(maxsize=1)
def _luck() -> dict[frozenset[int], tuple[float, ...]]:
    hands = {frozenset(hole): _values(hole) for hole in combinations(DECK, 2)}
    means = [sum(column) / len(hands) for column in zip(*hands.values(), strict=True)]
    return {
        hole: tuple(value - mean for value, mean in zip(values, means, strict=True))
        for hole, values in hands.items()
    }


def _values(hole: Hole) -> tuple[float, ...]:
    points = chen_points(hole)
    return tuple(min(max((points - low) / (high - low), 0.0), 1.0) for low, high in _RAMPS)
