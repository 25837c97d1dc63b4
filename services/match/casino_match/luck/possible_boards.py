"""The boards that a deal could have had, and what each seat holds on them. Pure.

Every turn and river that could follow the flop is enumerated. Before the flop there are too many
boards, and a sample stands for them. Its cards are shuffled by a hash of the hole cards, so that it
does not depend on the board, and is the same in every seating. All counts are whole numbers, on
which all machines agree.

A level says how strong a hand is on a board, against a random one. Level 0 beats at most half of
all hands there, each further level of the ten another twentieth. Flushes on the board are left out
of account, so that 6,175 boards cover all: those that differ in their ranks. That makes a level a
rough measure, which is all that a control variate needs.
"""

from collections.abc import Sequence
from functools import lru_cache
from hashlib import shake_128
from itertools import combinations, combinations_with_replacement
from typing import Final, NamedTuple

import numpy as np
from casino_games.cards import DECK, Card
from casino_games.holdem.batch_ranking import (
    BITS,
    KEYS,
    NO_CARDS,
    Cards,
    Ranks,
    Totals,
    rank_sums,
    rank_totals,
)
from casino_games.holdem.hand import Hole
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


Places = NDArray[np.int64]
Columns = slice | Places

FLOP: Final = 3
_STRIDES: Final = (1, 29)
"""Each round of the sample takes the shuffled cards in steps of so many; the number of cards is
even and below 58, so that a step of 29 takes each card once too."""
_DRAW_BYTES: Final = 8


class Design(NamedTuple):
    """Which cards make up boards: places among the flop, the other unseen, and all shuffled."""

    boards: Places
    """First all run-outs of the flop, then the sample: flops that have no card in common in a
    round, each with run-outs that have no card in common."""
    runouts: int
    runout: Places
    """The run-out of two cards that are unseen after the flop."""
    rivers: Places
    """The run-outs (columns) that begin with such a card (row)."""
    flops: Places
    """The boards of the sample (columns) that have the same flop (row)."""


@lru_cache(maxsize=16)
def design_of(unseen: int) -> Design:
    """Return the design for a number of cards that are unseen before the flop."""
    left = unseen - FLOP
    first, second = np.triu_indices(left, 1)
    runouts = [(0, 1, 2, *pair) for pair in zip(FLOP + first, FLOP + second, strict=True)]
    sample = []
    for stride in _STRIDES:
        cards = [unseen + place * stride % unseen for place in range(unseen)]
        for start in range(0, left + 1, FLOP):
            turned = cards[start:] + cards[:start]
            sample += [(*turned[:FLOP], *pair) for pair in _pairs(turned[FLOP:])]
    runout = np.zeros((left, left), np.int64)
    runout[first, second] = runout[second, first] = np.arange(len(first))
    rivers = np.array([np.delete(runout[turn], turn) for turn in range(left)])
    places = np.arange(len(runouts), len(runouts) + len(sample)).reshape(-1, left // 2)
    return Design(np.array(runouts + sample).T, len(runouts), runout, rivers, places)


class PossibleBoards:
    """All boards of one deal as columns."""

    def __init__(self, holes: Sequence[Hole], flop: Sequence[Card]) -> None:
        seen = bytes(card for hole in holes for card in hole)
        unseen = [card for card in DECK if card not in seen]
        left = [card for card in unseen if card not in flop]
        self._place = {card: place for place, card in enumerate(left)}
        self._design = design_of(len(unseen))
        draws = shake_128(bytes(sorted(seen))).digest(_DRAW_BYTES * len(unseen))
        shuffled = np.array(unseen)[np.frombuffer(draws, "<u8").argsort()]
        cards = np.concatenate([flop, left, shuffled])
        pairs = np.array(holes)
        boards = self._design.boards
        totals = KEYS[cards].take(boards).sum(axis=0)
        own_totals = KEYS[pairs].sum(axis=1) + NO_CARDS
        own_bits, card_bits = BITS[pairs].sum(axis=1), BITS[cards]

        def bits_at(places: Places) -> Places:
            seats, columns = np.divmod(places, boards.shape[1])
            bits: Places = own_bits.take(seats)
            bits += card_bits.take(boards.take(columns, axis=1)).sum(axis=0)
            return bits

        flat = rank_sums(np.add.outer(own_totals, totals).ravel(), bits_at)
        self.ranks: Ranks = flat.reshape(len(holes), -1)
        """The rank of each seat (row) on each board (column)."""
        self.levels = levels_of(self.ranks, thresholds_on(totals))
        """The same for the level."""
        runouts = self._design.runouts
        self.runouts = slice(0, runouts)
        """The columns of the run-outs of the flop."""
        self.sample = slice(runouts, None)
        order = [self._place[card] for card in shuffled.tolist() if card not in flop]
        own = self._design.runout[order[0:-1:2], order[1::2]]
        self.flops = np.concatenate([own[None], self._design.flops])
        """A few run-outs of this flop (first row) and as many of each flop of the sample."""
        self.turns = self._design.rivers
        """The run-outs of the flop (columns) with each turn (row)."""

    def place_of(self, turn: Card) -> int:
        return self._place[turn]

    def boards_after(self, board: Sequence[Card]) -> Columns:
        """Return the columns that are possible after none, three, four or five cards."""
        if not board:
            return self.sample
        places = [self._place[card] for card in board[FLOP:]]
        if not places:
            return self.runouts
        columns: Places
        if len(places) == 1:
            columns = self._design.rivers[places[0]]
        else:
            columns = self._design.runout[places[0], places[1:]]
        return columns


def _pairs(places: Sequence[int]) -> list[tuple[int, int]]:
    return list(zip(places[0:-1:2], places[1::2], strict=True))
