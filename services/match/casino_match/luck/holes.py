"""The luck of the hole cards: how much better than the average hand a seat was dealt. Pure."""

from functools import lru_cache
from itertools import combinations
from typing import Final

from casino_games.cards import DECK
from casino_games.holdem.deal import Hole
from casino_games.holdem.starting_hands import chen_points

DECIMALS: Final = 6
"""Decimals of control variates in chips; rounded, so that all machines agree."""
_RAMPS: Final = ((6, 9), (9, 20))
"""Points at which a hand begins and ends to count as good, and as premium."""


@lru_cache(maxsize=1326 * 2 * 4)
def hole_luck(hole: Hole, big_blind: int) -> tuple[float, ...]:
    """Return how good and how premium a hand is, minus the mean of all hands.

    Each goes from no to one big blind, in chips.
    """
    means = _means()
    return tuple(
        round(big_blind * (value - mean), DECIMALS)
        for value, mean in zip(_values(hole), means, strict=True)
    )


@lru_cache(maxsize=1)
def _means() -> tuple[float, ...]:
    values = [_values(hole) for hole in combinations(DECK, 2)]
    return tuple(sum(column) / len(values) for column in zip(*values, strict=True))


def _values(hole: Hole) -> tuple[float, ...]:
    points = chen_points(hole)
    return tuple(min(max((points - low) / (high - low), 0.0), 1.0) for low, high in _RAMPS)
