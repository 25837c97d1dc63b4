"""What showdowns of a deal pay on average over all boards that are still possible. Pure.

Sums over boards are whole numbers, and means are fractions of them until a control is complete.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from math import lcm
from typing import Final, NamedTuple

import numpy as np
from casino_games.holdem.deal import Board
from casino_games.holdem.pots import Pot
from numpy.typing import NDArray

from casino_match.luck.deals import Deal
from casino_match.luck.strength import LEVELS

Counts = NDArray[np.int64]
Chips = NDArray[np.float64]

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
_HEADS_UP: Final = 2


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
_KINDS: Final = len(_DUEL_VALUES)
_OTHERS: Final = [0, 4, 5, 6, 1, 2, 3]
"""Which value of a duel is the other seat's, negated."""


class Pairs(NamedTuple):
    """Every two seats, the lower one first."""

    first: Counts
    second: Counts
    place: dict[tuple[int, ...], int]
    gainers: Counts
    """1 for each seat (row) that is the first of a pair (column)."""
    losers: Counts


@lru_cache(maxsize=32)
def pairs_of(seats: int) -> Pairs:
    """Return the pairs of so many seats."""
    pairs = list(combinations(range(seats), 2))
    first, second = np.array(pairs).T
    seat = np.arange(seats)[:, None]
    places: dict[tuple[int, ...], int] = {pair: place for place, pair in enumerate(pairs)}
    return Pairs(first, second, places, 1 * (seat == first), 1 * (seat == second))


class Showdowns:
    """The showdowns of one deal; every sum is computed once."""

    def __init__(self, deal: Deal) -> None:
        self._deal = deal
        pairs = self._pairs = pairs_of(len(deal.ranks))
        ranks = deal.ranks.astype(np.int16)
        self._ahead = np.sign(ranks[pairs.second] - ranks[pairs.first]).astype(np.int64)
        weaker = np.minimum(deal.levels[pairs.first], deal.levels[pairs.second])
        places = np.arange(len(pairs.first)) * _KINDS
        self._kinds = self._ahead + (_OUTCOMES * weaker + 1) + places[:, None]
        self._duels: dict[Board, tuple[Counts, int]] = {}
        self._swings: dict[Board, tuple[Counts, int]] = {}
        self._shares: dict[tuple[tuple[int, ...], Board], Chips] = {}
        self._clashes: Counts | None = None

    def payments(self, pot: Pot, board: Board) -> Chips:
        """Return the mean payments of a pot to its seats, odd chips included."""
        wins = self._wins(pot.eligible, board)
        winners = wins.sum(axis=0)
        odd = wins.cumsum(axis=0) <= pot.amount % winners
        paid = (wins * (pot.amount // winners + odd)).sum(axis=1)
        means: Chips = paid / wins.shape[1]
        return means

    def shares(self, eligible: tuple[int, ...], board: Board) -> Chips:
        """Return the mean shares, 0..1, of the seats in a pot."""
        key = (eligible, board)
        if key not in self._shares:
            self._shares[key] = self._mean_shares(eligible, board)
        return self._shares[key]

    def duels(self, behind: Sequence[int], before: Board, after: Board) -> Chips:
        """Return how much each seat gains in its duels when the board becomes known.

        `behind` are the chips that each seat can still bet, 0 for a seat that has folded. A duel of
        two seats is about the smaller stack. Its values are who is ahead (1, 0 or -1), then three
        ramps of the weaker hand's level if the seat is ahead, and three, negative, if it is behind.
        """
        swing = self._swings.get(after)
        if swing is None:
            (old, old_boards), (new, new_boards) = self._sums(before), self._sums(after)
            unit = _RAMP * old_boards * new_boards
            swing = self._swings[after] = new * old_boards - old * new_boards, unit
        values, unit = swing
        gains, losses = self._at_stake(behind, values)
        luck: Chips = (gains - losses[:, _OTHERS]) / unit
        return luck

    def clashes(self, behind: Sequence[int]) -> Chips:
        """Return how much more each seat gains from this flop than from the average one.

        The value of a flop is not linear in its run-outs: it is the mean of who is ahead, times a
        ramp of the weaker mean level. Both are of a few run-outs, here as in the sample.
        """
        deal = self._deal
        runouts = len(deal.own_sample)
        flops = (deal.ranks.shape[1] - deal.sample.start) // runouts
        if self._clashes is None:
            here = self._flop_values(deal.own_sample, 1)
            there = self._flop_values(deal.sample, flops)
            self._clashes = here * flops - there
        low, high = _CLASH
        gains, losses = self._at_stake(behind, self._clashes[:, None])
        luck: Chips = (gains - losses)[:, 0] / (runouts**2 * (high - low) * flops)
        return luck

    def _mean_shares(self, eligible: tuple[int, ...], board: Board) -> Chips:
        if len(eligible) == _HEADS_UP:  # who is ahead says it all
            sums, boards = self._sums(board)
            ahead = int(sums[self._pairs.place[eligible], 0])
            whole = 2 * _RAMP * boards
            return np.array([_RAMP * boards + ahead, _RAMP * boards - ahead]) / whole
        wins = self._wins(eligible, board)
        parts = (wins * (_WHOLE // wins.sum(axis=0))).sum(axis=1)
        shares: Chips = parts / (_WHOLE * wins.shape[1])
        return shares

    def _wins(self, eligible: tuple[int, ...], board: Board) -> Counts:
        """Return 1 for each seat (row) that is among the best on a possible board (column)."""
        ranks = self._deal.ranks[:, self._deal.boards_after(board)][list(eligible)]
        wins: Counts = (ranks == ranks.min(axis=0)).astype(np.int64)
        return wins

    def _sums(self, board: Board) -> tuple[Counts, int]:
        """Return the values of all duels, added up over the possible boards, and their number."""
        if board not in self._duels:
            kinds = self._kinds[:, self._deal.boards_after(board)]
            counts = np.bincount(kinds.ravel(), minlength=len(kinds) * _KINDS)
            self._duels[board] = counts.reshape(-1, _KINDS) @ _DUEL_VALUES, kinds.shape[1]
        return self._duels[board]

    def _flop_values(self, columns: slice | Counts, flops: int) -> Counts:
        """Return the values of all pairs, added up over flops whose run-outs are adjacent."""
        first, second = self._pairs.first, self._pairs.second
        levels = self._deal.levels[:, columns].reshape(len(self._deal.levels), flops, -1)
        low, high = (level * levels.shape[2] for level in _CLASH)
        means = levels.sum(axis=2, dtype=np.int64)
        weaker = np.minimum(means[first], means[second])
        ahead = self._ahead[:, columns].reshape(len(first), flops, -1).sum(axis=2)
        values: Counts = (ahead * (weaker.clip(low, high) - low)).sum(axis=1)
        return values

    def _at_stake(self, behind: Sequence[int], values: Counts) -> tuple[Counts, Counts]:
        """Return the values of each seat's pairs, times the chips that they are about.

        First of the pairs in which it is the first seat, then of those in which it is the second.
        """
        pairs, stacks = self._pairs, np.array(behind)
        chips = np.minimum(stacks[pairs.first], stacks[pairs.second])[:, None] * values
        return pairs.gainers @ chips, pairs.losers @ chips
