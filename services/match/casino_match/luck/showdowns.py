"""What showdowns of a deal pay on average over all boards that are still possible. Pure."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from math import lcm
from typing import Final, NamedTuple

import numpy as np
from casino_games.holdem.deal import Board
from casino_games.holdem.hand import BOARD_SIZE
from casino_games.holdem.pots import Pot
from numpy.typing import NDArray

from casino_match.luck.deals import FLOP, Columns, Deal
from casino_match.luck.strength import LEVELS

Counts = NDArray[np.int64]
Kinds = NDArray[np.int16]
Chips = NDArray[np.float64]

DUEL_VALUES: Final = 8
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
_OTHERS: Final = [0, 4, 5, 6, 1, 2, 3, 7]
"""Which value of a duel is the other seat's, negated."""


def _duel_values() -> Counts:
    """Return the values of a duel by the level of the weaker hand and by who is ahead."""
    values = np.zeros((LEVELS, _OUTCOMES, DUEL_VALUES - 1), np.int64)
    for level in range(LEVELS):
        ramps = [
            _RAMP * min(max(level - low, 0), high - low) // (high - low) for low, high in _RAMPS
        ]
        values[level, 0] = [-_RAMP, 0, 0, 0, *(-ramp for ramp in ramps)]
        values[level, -1] = [_RAMP, *ramps, 0, 0, 0]
    return values.reshape(LEVELS * _OUTCOMES, -1)


_DUEL_VALUES = _duel_values()
_KINDS: Final = len(_DUEL_VALUES)


class Pairs(NamedTuple):
    """Every two seats, the lower one first."""

    first: Counts
    second: Counts
    place: dict[tuple[int, ...], int]


@lru_cache(maxsize=32)
def pairs_of(seats: int) -> Pairs:
    """Return the pairs of so many seats."""
    pairs = list(combinations(range(seats), 2))
    first, second = np.array(pairs).T
    return Pairs(first, second, {pair: place for place, pair in enumerate(pairs)})


class Showdowns:
    """The showdowns of one deal; every mean is computed once."""

    def __init__(self, deal: Deal) -> None:
        self._deal = deal
        pairs = self._pairs = pairs_of(len(deal.ranks))
        ranks = deal.ranks.astype(np.int16)
        self._ahead: Kinds = np.sign(ranks[pairs.second] - ranks[pairs.first])
        weaker = np.minimum(deal.levels[pairs.first], deal.levels[pairs.second])
        places = np.arange(1, _KINDS * len(pairs.first), _KINDS, dtype=np.int16)
        self._kinds: Kinds = self._ahead + (weaker * np.int8(_OUTCOMES) + places[:, None])
        self._sums: dict[Board, tuple[Counts, int]] = {}
        self._duels: dict[Board, Chips] = {}
        self._shares: dict[tuple[tuple[int, ...], Board], Chips] = {}

    def payments(self, pot: Pot, board: Board) -> Chips:
        """Return the mean payments of a pot to its seats, odd chips included."""
        wins = self._wins(pot.eligible, board)
        winners = wins.sum(axis=0)
        odd = wins.cumsum(axis=0) <= pot.amount % winners
        means: Chips = (wins * (pot.amount // winners + odd)).sum(axis=1) / wins.shape[1]
        return means

    def shares(self, eligible: tuple[int, ...], board: Board) -> Chips:
        """Return the mean shares, 0..1, of the seats in a pot."""
        key = (eligible, board)
        shares = self._shares.get(key)
        if shares is None:
            shares = self._shares[key] = self._mean_shares(eligible, board)
        return shares

    def duels(self, board: Board) -> Chips:
        """Return the values that each seat gained against each other by the last cards of a board.

        They are who is ahead (1, 0 or -1), then three ramps of the weaker hand's level if the seat
        is ahead, and three, negative, if it is behind. The last value is that of the flop alone; it
        is not linear in the run-outs: who is ahead in their mean, times a ramp of the weaker mean
        level. Both are of a few run-outs, of this flop as of each flop of the sample.
        """
        duels = self._duels.get(board)
        if duels is None:
            street = BOARD_SIZE.index(len(board))
            old, old_boards = self._summed(board[: BOARD_SIZE[street - 1]])
            new, new_boards = self._summed(board)
            unit = _RAMP * old_boards * new_boards
            clashes = self._clashes() if len(board) == FLOP else np.zeros(len(new))
            values = np.column_stack([(new * old_boards - old * new_boards) / unit, clashes])
            seats, pairs = len(self._deal.ranks), self._pairs
            duels = self._duels[board] = np.zeros((seats, seats, DUEL_VALUES))
            duels[pairs.first, pairs.second] = values
            duels[pairs.second, pairs.first] = -values[:, _OTHERS]
        return duels

    def _mean_shares(self, eligible: tuple[int, ...], board: Board) -> Chips:
        if len(eligible) == _HEADS_UP:  # who is ahead says it all
            sums, boards = self._summed(board)
            ahead = int(sums[self._pairs.place[eligible], 0])
            return np.array([_RAMP * boards + ahead, _RAMP * boards - ahead]) / (2 * _RAMP * boards)
        wins = self._wins(eligible, board)
        shares: Chips = (wins * (_WHOLE // wins.sum(axis=0))).sum(axis=1) / (_WHOLE * wins.shape[1])
        return shares

    def _wins(self, eligible: Sequence[int], board: Board) -> Counts:
        """Return 1 for each seat (row) that is among the best on a possible board (column)."""
        ranks = self._deal.ranks[:, self._deal.boards_after(board)][list(eligible)]
        wins: Counts = (ranks == ranks.min(axis=0)).astype(np.int64)
        return wins

    def _summed(self, board: Board) -> tuple[Counts, int]:
        """Return the values of all pairs, added up over the possible boards, and their number."""
        if board not in self._sums:
            kinds = self._kinds[:, self._deal.boards_after(board)]
            counts = np.bincount(kinds.ravel(), minlength=len(kinds) * _KINDS)
            self._sums[board] = counts.reshape(-1, _KINDS) @ _DUEL_VALUES, kinds.shape[1]
        return self._sums[board]

    def _clashes(self) -> Chips:
        """Return by how much this flop is better than the mean flop, for the first of each pair."""
        deal = self._deal
        runouts = len(deal.own_sample)
        flops = (deal.ranks.shape[1] - deal.sample.start) // runouts
        here = self._flop_values(deal.own_sample, 1)
        there = self._flop_values(deal.sample, flops)
        low, high = _CLASH
        clashes: Chips = (here * flops - there) / (runouts**2 * (high - low) * flops)
        return clashes

    def _flop_values(self, columns: Columns, flops: int) -> Counts:
        """Return the values of all pairs, added up over flops whose run-outs are adjacent."""
        first, second, _ = self._pairs
        levels = self._deal.levels[:, columns].reshape(len(self._deal.levels), flops, -1)
        low, high = (level * levels.shape[2] for level in _CLASH)
        means = levels.sum(axis=2, dtype=np.int64)
        weaker = np.minimum(means[first], means[second])
        ahead = self._ahead[:, columns].reshape(len(first), flops, -1).sum(axis=2, dtype=np.int64)
        values: Counts = (ahead * (weaker.clip(low, high) - low)).sum(axis=1)
        return values
