"""Rank many seven-card hands at once (needs numpy).

The method of `ranking` (sum one key per card, look up the total) for arrays. A key is one 64-bit
integer with three fields:

```
bits 30..46   base-5 counters of the seven high ranks (8 .. ace)
bits 14..29   four 4-bit suit counters, started at 3: five cards of a suit set bit 3
bits  0..13   base-5 counters of the six low ranks (deuce .. 7)
```

A rank occurs at most four times, so base-5 digits never carry. Two small arrays map the two rank
fields to an index in a dense table: all hands with the same high cards are adjacent
(`_START_BY_HIGH`), ordered by their low cards (`_PLACE_BY_LOW`). Together they take about
0.5 MB and fit into the processor's cache.

This is faster than `ranking` from a few hundred hands per call on, and fastest with blocks of about
10,000 hands. Cards must be distinct, as in `ranking`.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from casino_games.cards import DECK, Card
from casino_games.holdem.ranking import RANK_BY_COUNTERS, RANK_BY_FLUSH_MASK

Ranks = NDArray[np.uint16]
Cards = NDArray[np.uint8]
Totals = NDArray[np.int64]
Places = NDArray[np.intp]

_HAND_SIZE = 7
_LOW_RANKS = 6
_HIGH_RANKS = 7
_RANKS = _LOW_RANKS + _HIGH_RANKS
_ALL_RANKS = (1 << _RANKS) - 1
_SUIT_SHIFT = 14
_HIGH_SHIFT = 30
_LOW_MASK = (1 << _SUIT_SHIFT) - 1
_FLUSH_BITS = 0x8888 << _SUIT_SHIFT
NO_CARDS = 0x3333 << _SUIT_SHIFT
"""The total before any card is added: suit counters at 3."""


def _card_key(card: Card) -> int:
    rank, suit = divmod(card, 4)
    place, shift = (rank, 0) if rank < _LOW_RANKS else (rank - _LOW_RANKS, _HIGH_SHIFT)
    rank_field: int = 5**place << shift
    return rank_field | 1 << (_SUIT_SHIFT + 4 * suit)


def _digit_sums(digits: int) -> Totals:
    """Return the digit sum of each base-5 number with this many digits."""
    sums = np.zeros(1, np.int64)
    for _ in range(digits):
        sums = (np.arange(5)[:, None] + sums).ravel()
    return sums


def _build_tables() -> tuple[NDArray[np.int32], NDArray[np.int32], Ranks]:
    low_cards = _digit_sums(_LOW_RANKS)
    high_cards = _digit_sums(_HIGH_RANKS)
    # Number the low fields separately for each count of cards they hold.
    place_by_low = np.zeros(len(low_cards), np.int32)
    how_many = np.zeros(_HAND_SIZE + 1, np.int64)
    for count in range(_HAND_SIZE + 1):
        same = np.flatnonzero(low_cards == count)
        place_by_low[same] = np.arange(len(same))
        how_many[count] = len(same)
    # A high field with h cards is followed by every low field with 7 - h cards.
    missing = _HAND_SIZE - high_cards
    room = np.where(missing >= 0, how_many[np.maximum(missing, 0)], 0)
    start_by_high = np.concatenate(([0], np.cumsum(room)[:-1])).astype(np.int32)
    # Re-key the dictionary of ranking: 3-bit counters become the two base-5 fields.
    counters = np.fromiter(RANK_BY_COUNTERS.keys(), np.int64)
    ranks = np.fromiter(RANK_BY_COUNTERS.values(), np.uint16)
    digit = [(counters >> 3 * rank) & 7 for rank in range(_RANKS)]
    seven = sum(digit) == _HAND_SIZE
    low = sum(digit[rank] * 5**rank for rank in range(_LOW_RANKS))[seven]
    high = sum(digit[_LOW_RANKS + rank] * 5**rank for rank in range(_HIGH_RANKS))[seven]
    table = np.zeros(int(room.sum()), np.uint16)
    table[start_by_high[high] + place_by_low[low]] = ranks[seven]
    return start_by_high, place_by_low, table


KEYS: Totals = np.array([_card_key(card) for card in DECK], np.int64)
"""The key of each card, indexed by card."""
BITS: Totals = np.array([1 << (_RANKS * (card % 4) + card // 4) for card in DECK], np.int64)
"""The bit of each card, in a field of thirteen for each suit."""
_START_BY_HIGH, _PLACE_BY_LOW, _RANK_TABLE = _build_tables()
_FLUSH_BIT_BY_SUIT = np.array([0x8, 0x80, 0x800, 0x8000], np.int64)
_RANK_BY_FLUSH_MASK = np.array(RANK_BY_FLUSH_MASK, np.uint16)


def rank_totals(totals: Totals, cards: Sequence[Card | Cards]) -> Ranks:
    """Look up N totals of seven `KEYS` each, started at `NO_CARDS`.

    `cards` are the seven summed cards, each one card for all hands or an array of N; they are used
    only for flushes.
    """
    ranks = _ranks_without_flush(totals)
    flushes = np.flatnonzero(totals & _FLUSH_BITS)
    if flushes.size:
        bits = np.zeros(flushes.size, np.int64)
        for card in cards:
            bits += BITS[card] if isinstance(card, int) else BITS.take(card[flushes])
        ranks[flushes] = _flush_ranks(totals[flushes], bits)
    return ranks


def rank_sums(totals: Totals, bits_at: Callable[[Places], Totals]) -> Ranks:
    """Do the same, with the sums of seven `BITS` each at some places, which have flushes."""
    ranks = _ranks_without_flush(totals)
    flushes = np.flatnonzero((totals & _FLUSH_BITS) != 0)
    if flushes.size:
        ranks[flushes] = _flush_ranks(totals[flushes], bits_at(flushes))
    return ranks


def _ranks_without_flush(totals: Totals) -> Ranks:
    places = _START_BY_HIGH.take(totals >> _HIGH_SHIFT)
    places += _PLACE_BY_LOW.take(totals & _LOW_MASK)
    return _RANK_TABLE.take(places)


def _flush_ranks(totals: Totals, bits: Totals) -> Ranks:
    suits = _FLUSH_BIT_BY_SUIT.searchsorted((totals & _FLUSH_BITS) >> _SUIT_SHIFT)
    return _RANK_BY_FLUSH_MASK.take(bits >> suits * _RANKS & _ALL_RANKS)


def rank_columns(columns: Cards) -> Ranks:
    """Rank N hands in a (7, N) array of cards, one row per card of the hand."""
    totals = KEYS.take(columns[0])
    totals += NO_CARDS
    for column in columns[1:]:
        totals += KEYS.take(column)
    return rank_totals(totals, list(columns))
