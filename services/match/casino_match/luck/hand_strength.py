"""How strong a hand is on a board, against a random hand: a level from 0 to 10. Pure.

Level 0 beats at most half of all hands on that board, and each further level another twentieth.
Flushes on the board are left out of account, so that 6,175 boards cover all: those that differ in
their ranks. That makes a level a rough measure, which is all that a control variate needs.
"""

from functools import lru_cache
from itertools import combinations, combinations_with_replacement
from typing import Final, NamedTuple

import numpy as np
from casino_games.cards import DECK
from casino_games.holdem.batch_ranking import KEYS, NO_CARDS, Cards, Ranks, Totals, rank_totals
from numpy.typing import NDArray

Levels = NDArray[np.int8]
Numbers = NDArray[np.int64]

LEVELS: Final = 11
_SHARES: Final = tuple(place / 20 for place in range(10, 20))
"""The share of hands that a hand of each level from 1 on beats at least."""
_RANKS, _SUITS, _BOARD, _LOW_RANKS = 13, 4, 5, 6
_LOW_MASK, _HIGH_SHIFT = (1 << 14) - 1, 30
"""Where a key counts the low and the high ranks, see `batch_ranking`."""
_PAIRS = np.array(list(combinations(DECK, 2)), np.uint8).T
_HAS_CARD = (np.array(DECK)[:, None, None] == _PAIRS).any(axis=1)
_BATCH = 250


class _Thresholds(NamedTuple):
    """The worst rank of each level, by the ranks of the board; the better, the lower."""

    start_by_high: Numbers
    place_by_low: Numbers
    worst: Ranks
    """A column for each board; those with the same high ranks are adjacent."""


def thresholds_on(totals: Totals) -> Ranks:
    """Return the worst rank of each level (row) on each board (column) of five summed `KEYS`."""
    tables = _thresholds()
    high, low = _fields(totals)
    places = tables.start_by_high.take(high)
    places += tables.place_by_low.take(low)
    return tables.worst.take(places, axis=1)


def levels_of(ranks: Ranks, thresholds: Ranks) -> Levels:
    levels: Levels = np.add.reduce(ranks[:, None, :] <= thresholds, axis=1, dtype=np.int8)
    return levels


def _fields(totals: Totals) -> tuple[Totals, Totals]:
    return totals >> _HIGH_SHIFT, totals & _LOW_MASK


@lru_cache(maxsize=1)
def _thresholds() -> _Thresholds:
    """Rank every hand on every board; takes a fraction of a second, once."""
    boards = _boards()
    high, low = _fields(KEYS.take(boards).sum(axis=0))
    order = np.lexsort((low, high))
    boards, high, low = boards[:, order], high[order], low[order]
    highs, first = np.unique(high, return_index=True)
    start_by_high = np.zeros(int(highs[-1]) + 1, np.int64)
    start_by_high[highs] = first
    place_by_low = np.zeros(int(low.max()) + 1, np.int64)
    low_cards = (boards < _LOW_RANKS * _SUITS).sum(axis=0)
    for count in range(_BOARD + 1):
        lows = np.unique(low[low_cards == count])
        place_by_low[lows] = np.arange(len(lows))
    batches = [boards[:, start : start + _BATCH] for start in range(0, boards.shape[1], _BATCH)]
    worst = np.concatenate([*map(_worst_ranks, batches)], axis=1)
    return _Thresholds(start_by_high, place_by_low, worst)


def _boards() -> Cards:
    """Return a board for each five ranks, as columns, with at most two cards of a suit."""
    ranks = np.array(
        [
            ranks
            for ranks in combinations_with_replacement(range(_RANKS), _BOARD)
            if ranks[0] != ranks[-1]  # there are only four cards of a rank
        ]
    ).T
    suits = np.arange(_BOARD)[:, None] % _SUITS
    return (_SUITS * ranks + suits).astype(np.uint8)


def _worst_ranks(boards: Cards) -> Ranks:
    totals = (KEYS.take(boards).sum(axis=0) + NO_CARDS)[:, None] + KEYS.take(_PAIRS).sum(axis=0)
    taken = _HAS_CARD[boards].any(axis=0)
    ranks = rank_totals(totals[~taken], []).reshape(len(totals), -1)  # none is a flush
    ranks.sort(axis=1, kind="stable")
    hands = ranks.shape[1]
    worst = ranks[:, [round((1 - share) * hands) for share in _SHARES]]
    return np.ascontiguousarray(worst.T)
