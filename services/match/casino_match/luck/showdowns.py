"""What showdowns of a deal pay on average over all boards that are still possible. Pure."""

from math import lcm
from typing import Final

import numpy as np
from casino_games.holdem.deal import Board
from casino_games.holdem.pots import Pot
from numpy.typing import NDArray

from casino_match.luck.deals import Deal
from casino_match.luck.strength import LEVELS

Counts = NDArray[np.int64]

DUEL_VALUES: Final = 7
_WHOLE: Final = lcm(*range(1, 23))
"""The whole of a pot, divisible among any number of winners."""
_RAMPS: Final = ((0, 4), (4, 6), (6, 10))
"""Levels of the weaker hand from which, and up to which, more and more of the chips behind go in:
weak, fair and strong."""
_RAMP: Final = 4
"""The value of a ramp at its end."""
_CLASH: Final = (2, 6)
"""The same levels for the mean of the weaker hand after the flop."""
_OUTCOMES: Final = 3


def _duel_values() -> Counts:
    """Return the values of a duel by the level of the weaker hand and by who is ahead."""
    values = np.zeros((LEVELS, _OUTCOMES, DUEL_VALUES), np.int64)
    for level in range(LEVELS):
        ramps = [
            _RAMP * min(max(level - low, 0), high - low) // (high - low) for low, high in _RAMPS
        ]
        values[level, 0] = [-_RAMP, 0, 0, 0, *(-ramp for ramp in ramps)]
        values[level, -1] = [_RAMP, *ramps, 0, 0, 0]
    return values.reshape(-1, DUEL_VALUES)


_DUEL_VALUES = _duel_values()


class Showdowns:
    """The showdowns of one deal; every mean is computed once."""

    def __init__(self, deal: Deal) -> None:
        self._deal = deal
        self._shares: dict[tuple[tuple[int, ...], Board], list[float]] = {}
        self._duels: dict[tuple[int, int, Board], list[float]] = {}
        self._kinds: dict[tuple[int, int], tuple[Counts, Counts]] = {}
        self._clashes: dict[tuple[int, int], float] = {}

    def payments(self, pot: Pot, board: Board) -> list[float]:
        """Return the mean payments of a pot to its seats, odd chips included."""
        wins = self._wins(pot.eligible, board)
        winners = wins.sum(axis=0)
        odd = wins.cumsum(axis=0) <= pot.amount % winners
        paid = (wins * (pot.amount // winners + odd)).sum(axis=1)
        return [chips / wins.shape[1] for chips in paid.tolist()]

    def shares(self, eligible: tuple[int, ...], board: Board) -> list[float]:
        """Return the mean shares, 0..1, of the seats in a pot."""
        key = (eligible, board)
        if key not in self._shares:
            if len(eligible) == 2:  # noqa: PLR2004 - a duel says it all
                ahead = self.duel(*eligible, board)[0]
                shares = [(1 + ahead) / 2, (1 - ahead) / 2]
            else:
                wins = self._wins(eligible, board)
                parts = (wins * (_WHOLE // wins.sum(axis=0))).sum(axis=1)
                shares = [part / (_WHOLE * wins.shape[1]) for part in parts.tolist()]
            self._shares[key] = shares
        return self._shares[key]

    def duel(self, seat: int, other: int, board: Board) -> list[float]:
        """Return the mean values of a duel for the first of two seats.

        They are who is ahead (1, 0 or -1), then three ramps of the weaker hand's level if the seat
        is ahead, and three if it is behind, which are negative.
        """
        key = (seat, other, board)
        if key not in self._duels:
            _, kinds = self._duel(seat, other)
            chosen = kinds[self._deal.boards_after(board)]
            values = np.bincount(chosen, minlength=len(_DUEL_VALUES)) @ _DUEL_VALUES
            self._duels[key] = [value / (_RAMP * len(chosen)) for value in values.tolist()]
        return self._duels[key]

    def clash(self, seat: int, other: int) -> float:
        """Return how much more than the average flop this flop lets the seat win from the other.

        The value of a flop is not linear in its run-outs: it is the mean of who is ahead, times a
        ramp of the weaker mean level. Both are of a few run-outs, here as in the sample.
        """
        key = (seat, other)
        if key not in self._clashes:
            deal = self._deal
            counts = (self._duel(seat, other)[0], *(deal.held_by(each).levels for each in key))
            runouts = len(deal.own_sample)
            (here,) = _clashes(*(each[None, deal.own_sample] for each in counts))
            there = _clashes(*(each[deal.sample].reshape(-1, runouts) for each in counts))
            low, high = _CLASH
            unit = runouts**2 * (high - low)
            self._clashes[key] = (int(here) - int(there.sum()) / len(there)) / unit
        return self._clashes[key]

    def _wins(self, eligible: tuple[int, ...], board: Board) -> Counts:
        """Return 1 for each seat (row) that is among the best on a possible board (column)."""
        columns = self._deal.boards_after(board)
        ranks = np.stack([self._deal.held_by(seat).ranks[columns] for seat in eligible])
        wins: Counts = (ranks == ranks.min(axis=0)).astype(np.int64)
        return wins

    def _duel(self, seat: int, other: int) -> tuple[Counts, Counts]:
        """Return who is ahead on each board, and the row of `_DUEL_VALUES`."""
        key = (seat, other)
        if key not in self._kinds:
            mine, theirs = self._deal.held_by(seat), self._deal.held_by(other)
            ahead = np.sign(theirs.ranks.astype(np.int64) - mine.ranks)
            weaker = np.minimum(mine.levels, theirs.levels)
            self._kinds[key] = ahead, ahead + (_OUTCOMES * weaker + 1)
        return self._kinds[key]


def _clashes(ahead: Counts, first: Counts, second: Counts) -> Counts:
    """Return the value of each flop (row) from its run-outs (columns)."""
    low, high = (level * ahead.shape[1] for level in _CLASH)
    weaker = np.minimum(first.sum(axis=1), second.sum(axis=1))
    values: Counts = ahead.sum(axis=1) * (weaker.clip(low, high) - low)
    return values
