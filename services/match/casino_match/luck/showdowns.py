"""What showdowns of a deal would pay on average, as its board becomes known. Pure.

A list of means has one entry per street: over the sample before the flop, over all run-outs after
it, over all rivers after the turn, and at the end the one board.
"""

from collections.abc import Sequence
from math import lcm
from typing import Final

import numpy as np
from casino_games.cards import Card
from casino_games.holdem.pots import Pot
from numpy.typing import NDArray

from casino_match.luck.deals import Columns, Deal
from casino_match.luck.strength import LEVELS

Counts = NDArray[np.int64]
Means = NDArray[np.float64]

DUEL_VALUES: Final = 7
_WHOLE: Final = lcm(*range(1, 23))
"""The whole of a pot, divisible among any number of winners."""
_RAMPS: Final = ((0, 4), (4, 6), (6, 10))
"""Levels of the weaker hand from which, and up to which, more and more of the chips behind go in:
weak, fair and strong."""
_RAMP: Final = 4
"""The value of a ramp at its end."""
_CLASH: Final = (2, 6)
"""The same for the mean level of the weaker hand after the flop."""


def _duel_values() -> Counts:
    """Return the values of a duel by the level of the weaker hand and by who is ahead."""
    values = np.zeros((LEVELS, 3, DUEL_VALUES), np.int64)
    for level in range(LEVELS):
        ramps = [
            _RAMP * min(max(level - low, 0), high - low) // (high - low) for low, high in _RAMPS
        ]
        values[level, 0] = [-_RAMP, 0, 0, 0, *(-ramp for ramp in ramps)]
        values[level, 2] = [_RAMP, *ramps, 0, 0, 0]
    return values.reshape(-1, DUEL_VALUES)


_DUEL_VALUES = _duel_values()


class Showdowns:
    """The showdowns of one deal; every mean is computed once."""

    def __init__(self, deal: Deal) -> None:
        self._deal = deal
        self._shares: dict[tuple[tuple[int, ...], int], list[Means]] = {}
        self._duels: dict[tuple[int, int, int], list[Means]] = {}
        self._clashes: dict[tuple[int, int], float] = {}

    def payments(self, pot: Pot, board: Sequence[Card], street: int) -> list[float]:
        """Return the mean payments of a pot to its seats, odd chips included."""
        wins = self._wins(pot.eligible)
        winners = wins.sum(axis=0)
        odd = wins.cumsum(axis=0) <= pot.amount % winners
        paid = wins * (pot.amount // winners + odd)
        return _mean(paid, self._deal.boards_after(board)[street]).tolist()

    def shares(self, eligible: tuple[int, ...], board: Sequence[Card]) -> list[Means]:
        """Return the mean shares, 0..1, of the seats in a pot."""
        key = (eligible, len(board))
        if key not in self._shares:
            wins = self._wins(eligible)
            shares = wins * (_WHOLE // wins.sum(axis=0))
            self._shares[key] = [
                _mean(shares, columns) / _WHOLE for columns in self._deal.boards_after(board)
            ]
        return self._shares[key]

    def duels(self, seat: int, other: int, board: Sequence[Card]) -> list[Means]:
        """Return the mean values of a duel for a seat that is lower than the other.

        They are who is ahead (1, 0 or -1), then three ramps of the weaker hand's level if the seat
        is ahead, and three if it is behind, which are negative.
        """
        key = (seat, other, len(board))
        if key not in self._duels:
            ahead, weaker = self._duel(seat, other)
            kinds = weaker * 3 + ahead + 1
            self._duels[key] = [
                _mean_values(kinds[columns]) for columns in self._deal.boards_after(board)
            ]
        return self._duels[key]

    def clash(self, seat: int, other: int) -> float:
        """Return how much more than the average flop this one lets the seat win from the other.

        The value of a flop is not linear in its run-outs: it is the mean of who is ahead, times a
        ramp of the weaker mean level. Both are of a few run-outs, here as in the sample.
        """
        key = (seat, other)
        if key not in self._clashes:
            deal = self._deal
            ahead, _ = self._duel(seat, other)
            levels = [deal.held_by(each).levels for each in key]
            here = _clashes(*(each[None, deal.own_sample] for each in (ahead, *levels)))
            shape = (-1, len(deal.own_sample))
            there = _clashes(*(each[deal.sample].reshape(shape) for each in (ahead, *levels)))
            low, high = _CLASH
            unit = len(deal.own_sample) ** 2 * (high - low)
            self._clashes[key] = (int(here[0]) - int(there.sum()) / len(there)) / unit
        return self._clashes[key]

    def _wins(self, eligible: tuple[int, ...]) -> Counts:
        """Return 1 for each seat (row) that is among the best on a board (column)."""
        ranks = np.stack([self._deal.held_by(seat).ranks for seat in eligible])
        wins: Counts = (ranks == ranks.min(axis=0)).astype(np.int64)
        return wins

    def _duel(self, seat: int, other: int) -> tuple[Counts, Counts]:
        """Return who is ahead on each board, and the level of the weaker hand."""
        mine, theirs = self._deal.held_by(seat), self._deal.held_by(other)
        ahead = (mine.ranks < theirs.ranks).astype(np.int64) - (mine.ranks > theirs.ranks)
        return ahead, np.minimum(mine.levels, theirs.levels)


def turned(values: Means) -> Means:
    """Return the values of a duel for the other seat."""
    return -values[[0, 4, 5, 6, 1, 2, 3]]


def _mean(counts: Counts, columns: Columns) -> Means:
    chosen = counts[:, columns]
    means: Means = chosen.sum(axis=1) / chosen.shape[1]
    return means


def _mean_values(kinds: Counts) -> Means:
    values = np.bincount(kinds, minlength=len(_DUEL_VALUES)) @ _DUEL_VALUES
    means: Means = values / (_RAMP * len(kinds))
    return means


def _clashes(ahead: Counts, first: Counts, second: Counts) -> Counts:
    """Return the value of each flop (row) from its run-outs (columns)."""
    runouts = ahead.shape[1]
    low, high = (level * runouts for level in _CLASH)
    weaker = np.minimum(first.sum(axis=1), second.sum(axis=1))
    values: Counts = ahead.sum(axis=1) * (weaker.clip(low, high) - low)
    return values
