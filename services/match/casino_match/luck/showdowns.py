"""What showdowns of a deal pay on average over all boards that are still possible. Pure."""

from collections.abc import Sequence
from math import lcm
from typing import Final

import numpy as np
from casino_games.holdem.deal import Board
from casino_games.holdem.pots import Pot
from casino_games.holdem.record import Seat
from numpy.typing import NDArray

from casino_match.luck.deals import Deal
from casino_match.luck.duels import Counts, Duels, Seats, pairs_of

Chips = NDArray[np.float64]
Shares = list[float]

_WHOLE: Final = lcm(*range(1, 23))
"""The whole of a pot, divisible among any number of winners."""
_HEADS_UP: Final = 2


class Showdowns:
    """The showdowns of one deal; every mean is computed once."""

    def __init__(self, deal: Deal) -> None:
        self._deal = deal
        self._duels: dict[Seats, Duels] = {}
        self._of_pair: dict[Seats, tuple[Duels, int]] = {}
        """The duels that have a pair, and its place there."""
        self._shares: dict[tuple[Seats, Board], Shares] = {}

    def duels(self, seats: Seats) -> Duels:
        """Return the duels of every two of some seats, lowest first."""
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
