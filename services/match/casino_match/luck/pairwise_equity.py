"""What cards are worth over all boards that are possible: to every two seats, and to pots. Pure.

The values of a duel, per chip at stake, depend on who is ahead and on the levels of both hands.
Those of a street that are linear in the boards are a mean over all of them. A clash is not: it is a
product of means over the boards after a flop or a turn, and its own mean is that over all flops of
the sample or all turns. All sums are whole numbers, on which all machines agree.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from math import lcm
from typing import Final

import numpy as np
from casino_games.holdem.betting import Seat
from casino_games.holdem.hand import BOARD_SIZE, Board, Pot
from numpy.typing import NDArray

from casino_match.luck.possible_boards import FLOP, LEVELS, Places, PossibleBoards

Counts = NDArray[np.int64]
Rows = NDArray[np.int8]
Floats = NDArray[np.float64]
Seats = tuple[Seat, ...]

_FAIR: Final = (4, 6)
"""Levels of the weaker hand from which, and up to which, a fair hand pays more and more."""
_STRONG: Final = (6, 8)
_WEAK: Final = (0, 4)
_BETTER: Final = (4, 10)
_UNIT: Final = 24
"""The value of one; divisible by the length of each ramp, and of `_WEAK` times `_BETTER`."""
_AHEAD: Final = 0
_AGAINST_BETTER: Final = 3
_OF_SEATS: Final = [[0, 1, 3, 5], [0, 2, 4, 6]]
"""Columns of the values of either seat; who is ahead is negated for the second."""

_CLASHES: Final = (((4, 8), (1, 4)), ((2, 4), (3, 6)))
"""Ramps of the own and of the other mean level in each clash; the turn has only the first."""
_CLASHES_AFTER: Final = {3: 2, 4: 1, 5: 0}
"""The number of clashes by the cards of the board."""
_CLASH_UNITS: Final = np.array([12, 6])
"""The values of one: the lengths of both ramps, multiplied."""
_LOWS, _HIGHS = np.array(_CLASHES).transpose(2, 0, 1)[..., None, None, None]
"""By clash, own and other; then follow seats, pairs and groups of boards."""
_OUTCOMES: Final = 3

Chips = NDArray[np.float64]
Shares = list[float]
_WHOLE: Final = lcm(*range(1, 23))
"""The whole of a pot, divisible among any number of winners."""
_HEADS_UP: Final = 2


def _ramp(level: int, bounds: tuple[int, int]) -> int:
    low, high = bounds
    return min(max(level - low, 0), high - low)


def _values_of(first: int, second: int, ahead: int) -> list[int]:
    """Return the values of a duel on one board, times the unit."""
    fair, strong = (
        _ramp(min(first, second), bounds) * _UNIT // (bounds[1] - bounds[0])
        for bounds in (_FAIR, _STRONG)
    )
    wins = (ahead > 0, ahead < 0)
    contested = _ramp(first, _WEAK) * _ramp(second, _BETTER)
    returned = _ramp(second, _WEAK) * _ramp(first, _BETTER)
    both = [fair * wins[0], fair * wins[1], strong * wins[0], strong * wins[1]]
    return [_UNIT * ahead, *both, contested, returned]


_VALUES: Final = np.array(
    [
        _values_of(first, second, ahead)
        for first in range(LEVELS)
        for second in range(LEVELS)
        for ahead in (-1, 0, 1)
    ],
    np.int64,
)
"""The values by the first seat's level, the second's, and who is ahead."""


@lru_cache(maxsize=1_024)
def pairs_of(seats: Seats) -> tuple[tuple[Seat, Seat], ...]:
    return tuple(combinations(seats, 2))


@lru_cache(maxsize=1_024)
def rows_of(seats: Seats) -> Places:
    """Return for each seat (row) where its duels are among all seats of all pairs, in order."""
    both = [seat for pair in pairs_of(seats) for seat in pair]
    return np.array([[row for row, each in enumerate(both) if each == seat] for seat in seats])


class Duels:
    """Every two of some seats of a deal; every mean is computed once."""

    def __init__(self, deal: PossibleBoards, seats: Seats) -> None:
        self._deal = deal
        self.seats = seats
        self.pairs = pairs_of(seats)
        """In the order of all values."""
        self._of_seats = rows_of(seats)
        first, second = map(list, zip(*self.pairs, strict=True))
        ranks, levels = deal.ranks, deal.levels
        rows = self._rows = np.empty((3, len(first), ranks.shape[1]), np.int8)
        """The levels of both, and who is ahead: 1 if the first is, 0 for a tie, -1."""
        rows[0], rows[1] = levels[first], levels[second]
        ours, theirs = ranks[first], ranks[second]
        np.subtract((ours < theirs).view(np.int8), (ours > theirs).view(np.int8), rows[2])
        self._kinds = (rows[0] * np.int16(LEVELS) + rows[1]) * np.int16(_OUTCOMES)
        self._kinds += rows[2]
        self._kinds += np.arange(1, len(_VALUES) * len(first), len(_VALUES), dtype=np.int16)[
            :, None
        ]
        self._sums: dict[Board, tuple[Counts, int]] = {}
        self._gains: dict[Board, Floats] = {}
        self._turns: Counts | None = None

    def shares(self, board: Board) -> list[float]:
        """Return for each pair the mean share, 0..1, of its first seat in a pot of the two."""
        sums, boards = self._summed(board)
        shares: list[float] = ((_UNIT * boards + sums[:, _AHEAD]) / (2 * _UNIT * boards)).tolist()
        return shares

    def gained(self, board: Board, stakes: Sequence[int], most: int) -> list[list[float]]:
        """Return each seat's gain in chips by a street; a weak hand stakes at most `most`."""
        at_stake = np.array(stakes)[:, None, None]
        chips = self.gains(board) * at_stake
        if max(stakes) > most:
            column = chips[:, :, _AGAINST_BETTER]
            np.multiply(
                self.gains(board)[:, :, _AGAINST_BETTER], np.minimum(at_stake[:, 0], most), column
            )
        rows = chips.reshape(2 * len(stakes), -1)
        sums: list[list[float]] = rows[self._of_seats].sum(axis=1).tolist()  # opponents in order
        return sums

    def gains(self, board: Board) -> Floats:
        """Return what each seat of each pair gained by the last cards of a board, per chip.

        By pair, seat of the pair, and value. The values are who is ahead (1, 0 or -1); a ramp of
        the weaker hand's level if the seat is ahead, for fair and for strong hands; and a weak hand
        against a better one. After the flop two clashes follow, and after the turn one: who is
        ahead times a ramp of each mean level.
        """
        gains = self._gains.get(board)
        if gains is None:
            street = BOARD_SIZE.index(len(board))
            old, old_boards = self._summed(board[: BOARD_SIZE[street - 1]])
            new, new_boards = self._summed(board)
            values = (new * old_boards - old * new_boards) / (_UNIT * old_boards * new_boards)
            linear = values[:, _OF_SEATS]
            np.negative(linear[:, 1, _AHEAD], linear[:, 1, _AHEAD])
            clashes = self._clashes(board)
            gains = self._gains[board] = np.concatenate([linear, clashes], axis=2)
        return gains

    def _summed(self, board: Board) -> tuple[Counts, int]:
        """Return the values by pair, added up over the possible boards, and their number."""
        summed = self._sums.get(board)
        if summed is None:
            kinds = self._kinds[:, self._deal.boards_after(board)]
            counts = np.bincount(kinds.ravel(), minlength=len(_VALUES) * len(kinds))
            sums = counts.reshape(len(kinds), -1) @ _VALUES
            summed = self._sums[board] = sums, kinds.shape[1]
        return summed

    def _clashes(self, board: Board) -> Floats:
        """Return by how much each clash is better for each seat of a pair than in the mean."""
        count = _CLASHES_AFTER[len(board)]
        if not count:
            return np.empty((self._rows.shape[1], 2, 0))
        deal = self._deal
        if len(board) == FLOP:
            # This flop comes first, and then the sample.
            values = _clashes_in(self._rows.take(deal.flops, axis=2))
            here, groups = 0, values.shape[3] - 1
            total = values[..., 1:].sum(axis=3)
            size = deal.flops.shape[1]
        else:
            if self._turns is None:
                self._turns = _clashes_in(self._rows.take(deal.turns, axis=2))
            values = self._turns
            here, groups = deal.place_of(board[-1]), values.shape[3]
            total = values.sum(axis=3)
            size = deal.turns.shape[1]
        excess = (values[..., here] * groups - total)[:, :count]
        whole = _CLASH_UNITS[:count, None] * (size**3 * groups)
        clashes: Floats = (excess / whole).transpose(2, 0, 1)
        return clashes


def _clashes_in(rows: Rows) -> Counts:
    """Return the clashes by seat, clash, pair and group; `rows` are levels and who is ahead."""
    size = rows.shape[3]
    sums = rows.sum(axis=3, dtype=np.int64)
    lows = size * _LOWS
    ramps = np.minimum(np.maximum(sums[:2], lows), size * _HIGHS)
    ramps -= lows
    values: Counts = ramps[:, 0].swapaxes(0, 1) * ramps[:, 1, ::-1].swapaxes(0, 1)
    values *= sums[2]
    np.negative(values[1], values[1])
    return values


class Showdowns:
    """The showdowns of one deal; every mean is computed once."""

    def __init__(self, deal: PossibleBoards) -> None:
        self._deal = deal
        self._duels: dict[Seats, Duels] = {}
        self._of_pair: dict[Seats, tuple[Duels, int]] = {}
        """The duels that have a pair, and its place there."""
        self._shares: dict[tuple[Seats, Board], Shares] = {}

    def duels(self, seats: Seats) -> Duels:
        duels = self._duels.get(seats)
        if duels is None:
            duels = self._duels[seats] = Duels(self._deal, seats)
            for place, pair in enumerate(pairs_of(seats)):
                self._of_pair.setdefault(pair, (duels, place))
        return duels

    def payments(self, pot: Pot, board: Board) -> Chips:
        """Return the mean payments of a pot to its seats, odd chips included."""
        wins = self._wins(pot.eligible, board)
        winners = wins.sum(axis=0)
        odd = wins.cumsum(axis=0) <= pot.amount % winners
        means: Chips = (wins * (pot.amount // winners + odd)).sum(axis=1) / wins.shape[1]
        return means

    def shares(self, eligible: Seats, board: Board) -> Shares:
        """Return the mean shares, 0..1, of the seats in a pot."""
        key = (eligible, board)
        shares = self._shares.get(key)
        if shares is None:
            shares = self._shares[key] = self._mean_shares(eligible, board)
        return shares

    def _mean_shares(self, eligible: Seats, board: Board) -> Shares:
        if len(eligible) == _HEADS_UP:
            if eligible not in self._of_pair:
                self.duels(eligible)
            duels, place = self._of_pair[eligible]
            share = duels.shares(board)[place]
            return [share, 1 - share]
        wins = self._wins(eligible, board)
        sums = (wins * (_WHOLE // wins.sum(axis=0))).sum(axis=1)
        return [share / (_WHOLE * wins.shape[1]) for share in sums.tolist()]

    def _wins(self, eligible: Sequence[Seat], board: Board) -> Counts:
        """Return 1 for each seat (row) that is among the best on a possible board (column)."""
        ranks = self._deal.ranks[:, self._deal.boards_after(board)][list(eligible)]
        wins: Counts = (ranks == ranks.min(axis=0)).astype(np.int64)
        return wins
