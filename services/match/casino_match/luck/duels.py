"""What the cards of a street are worth to each of two seats of a deal, per chip at stake. Pure.

The values depend on who is ahead and on the levels of both hands, on boards that are still
possible. Those of a street that are linear in the boards are a mean over all of them. A clash is
not: it is a product of means over the boards after a flop or a turn, and its own mean is that over
all flops of the sample or all turns. All sums are whole numbers, on which all machines agree.
"""

from typing import Final

import numpy as np
from casino_games.holdem.deal import Board
from casino_games.holdem.hand import BOARD_SIZE
from casino_games.holdem.record import Seat
from numpy.typing import NDArray

from casino_match.luck.deals import FLOP, Deal
from casino_match.luck.strength import LEVELS

Counts = NDArray[np.int64]
Rows = NDArray[np.int8]
Gains = tuple[float, ...]

_FAIR: Final = (4, 6)
"""Levels of the weaker hand from which, and up to which, a fair hand pays more and more."""
_STRONG: Final = (6, 8)
_WEAK: Final = (0, 4)
_BETTER: Final = (4, 10)
_UNIT: Final = 24
"""The value of one; divisible by the length of each ramp, and of `_WEAK` times `_BETTER`."""
_AHEAD: Final = 0
_FIRST: Final = [0, 1, 3, 5]
_SECOND: Final = [0, 2, 4, 6]
"""Columns of the values of either seat; who is ahead is negated for the second."""

_CLASHES: Final = (((4, 8), (1, 4)), ((2, 4), (3, 6)))
"""Ramps of the own and of the other mean level in each clash; the turn has only the first."""
_CLASHES_AFTER: Final = {3: 2, 4: 1, 5: 0}
"""The number of clashes by the cards of the board."""
_CLASH_UNITS: Final = (12, 6)
"""The values of one: the lengths of both ramps, multiplied."""
_LOWS, _HIGHS = np.array(_CLASHES).transpose(2, 0, 1)[..., None, None]
"""By clash, own and other; then follow seats and groups of boards."""
_OUTCOMES: Final = 3


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


class Duel:
    """Two seats of a deal; every mean is computed once."""

    def __init__(self, deal: Deal, first: Seat, second: Seat) -> None:
        self._deal = deal
        ranks, levels = deal.ranks, deal.levels
        rows = self._rows = np.empty((3, ranks.shape[1]), np.int8)
        """The levels of both, and who is ahead: 1 if the first is, 0 for a tie, -1."""
        rows[:2] = levels[first], levels[second]
        better, worse = ranks[first] < ranks[second], ranks[first] > ranks[second]
        np.subtract(better.view(np.int8), worse.view(np.int8), rows[2])
        self._kinds = (rows[0] * np.int16(LEVELS) + rows[1]) * np.int16(_OUTCOMES)
        self._kinds += rows[2]
        self._kinds += 1
        self._sums: dict[Board, tuple[list[int], int]] = {}
        self._gains: dict[Board, tuple[Gains, Gains]] = {}
        self._turns: Counts | None = None

    def share(self, board: Board) -> float:
        """Return the mean share, 0..1, of the first seat in a pot of the two."""
        sums, boards = self._summed(board)
        return (_UNIT * boards + sums[_AHEAD]) / (2 * _UNIT * boards)

    def gains(self, board: Board) -> tuple[Gains, Gains]:
        """Return what each seat gained by the last cards of a board.

        It is who is ahead (1, 0 or -1); a ramp of the weaker hand's level if the seat is ahead, for
        fair and for strong hands; and a weak hand against a better one. After the flop two clashes
        follow, and after the turn one: who is ahead times a ramp of each mean level.
        """
        gains = self._gains.get(board)
        if gains is None:
            street = BOARD_SIZE.index(len(board))
            old, old_boards = self._summed(board[: BOARD_SIZE[street - 1]])
            new, new_boards = self._summed(board)
            unit = _UNIT * old_boards * new_boards
            values = [
                (now * old_boards - then * new_boards) / unit
                for now, then in zip(new, old, strict=True)
            ]
            first, second = ([values[place] for place in each] for each in (_FIRST, _SECOND))
            second[_AHEAD] = -second[_AHEAD]
            clashes = self._clashes(board)
            gains = self._gains[board] = (*first, *clashes[0]), (*second, *clashes[1])
        return gains

    def _summed(self, board: Board) -> tuple[list[int], int]:
        """Return the values, added up over the possible boards, and the number of these."""
        summed = self._sums.get(board)
        if summed is None:
            kinds = self._kinds[self._deal.boards_after(board)]
            counts = np.bincount(kinds, minlength=len(_VALUES))
            summed = self._sums[board] = (counts @ _VALUES).tolist(), len(kinds)
        return summed

    def _clashes(self, board: Board) -> list[list[float]]:
        """Return by how much each clash is better for each seat than in the mean."""
        count = _CLASHES_AFTER[len(board)]
        if not count:
            return [[], []]
        deal = self._deal
        if len(board) == FLOP:
            # This flop comes first, and then the sample.
            values = _clashes_in(self._rows.take(deal.flops, axis=1))
            here, groups = 0, values.shape[2] - 1
            total = values[:, :, 1:].sum(axis=2)
            size = deal.flops.shape[1]
        else:
            if self._turns is None:
                self._turns = _clashes_in(self._rows.take(deal.turns, axis=1))
            values = self._turns
            here, groups = deal.place_of(board[-1]), values.shape[2]
            total = values.sum(axis=2)
            size = deal.turns.shape[1]
        excess = values[:, :, here] * groups - total
        whole = size**3 * groups
        return [
            [value / (unit * whole) for value, unit in zip(row[:count], _CLASH_UNITS, strict=False)]
            for row in excess.tolist()
        ]


def _clashes_in(rows: Rows) -> Counts:
    """Return the clashes (columns) of both seats (rows) in groups of boards (layers).

    The rows are the levels of both and who is ahead, by group and board.
    """
    size = rows.shape[2]
    sums = rows.sum(axis=2, dtype=np.int64)
    lows = size * _LOWS
    ramps = np.minimum(np.maximum(sums[:2], lows), size * _HIGHS)
    ramps -= lows
    values: Counts = ramps[:, 0].swapaxes(0, 1) * ramps[:, 1, ::-1].swapaxes(0, 1)
    values *= sums[2]
    np.negative(values[1], values[1])
    return values
