"""Rank many seven-card hands at once (needs numpy).

The method and the lists of `ranking` (sum one key per card, look up the total) as arrays, which
take about 0.5 MB.

This is faster than `ranking` from a few hundred hands per call on, and fastest with blocks of about
10,000 hands. Cards must be distinct, as in `ranking`.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from casino_games.cards import DECK, Card
from casino_games.holdem import ranking
from casino_games.holdem.ranking import FLUSH_BITS, HIGH_SHIFT, LOW_MASK, NO_CARDS, SUIT_SHIFT

__all__ = ["BITS", "KEYS", "NO_CARDS", "rank_columns", "rank_sums", "rank_totals"]

Ranks = NDArray[np.uint16]
Cards = NDArray[np.uint8]
Totals = NDArray[np.int64]
Places = NDArray[np.intp]

_RANKS = 13
_ALL_RANKS = (1 << _RANKS) - 1

KEYS: Totals = np.array(ranking.KEYS, np.int64)
"""The key of each card, indexed by card."""
BITS: Totals = np.array([1 << (_RANKS * (card % 4) + card // 4) for card in DECK], np.int64)
"""The bit of each card, in a field of thirteen for each suit."""
_START_BY_HIGH = np.array(ranking.START_BY_HIGH, np.int32)
_PLACE_BY_LOW = np.array(ranking.PLACE_BY_LOW, np.int32)
_RANK_TABLE: Ranks = np.array(ranking.RANKS, np.uint16)
_FLUSH_BIT_BY_SUIT = np.array([0x8, 0x80, 0x800, 0x8000], np.int64)
_RANK_BY_FLUSH_MASK = np.array(ranking.RANK_BY_FLUSH_MASK, np.uint16)


def rank_totals(totals: Totals, cards: Sequence[Card | Cards]) -> Ranks:
    """Look up N sums of seven `KEYS` from `NO_CARDS`; `cards` are theirs, used for flushes only."""
    ranks = _ranks_without_flush(totals)
    flushes = np.flatnonzero(totals & FLUSH_BITS)
    if flushes.size:
        bits = np.zeros(flushes.size, np.int64)
        for card in cards:
            bits += BITS[card] if isinstance(card, int) else BITS.take(card[flushes])
        ranks[flushes] = _flush_ranks(totals[flushes], bits)
    return ranks


def rank_sums(totals: Totals, bits_at: Callable[[Places], Totals]) -> Ranks:
    """Do the same, with the sums of seven `BITS` each at some places, which have flushes."""
    ranks = _ranks_without_flush(totals)
    flushes = np.flatnonzero((totals & FLUSH_BITS) != 0)
    if flushes.size:
        ranks[flushes] = _flush_ranks(totals[flushes], bits_at(flushes))
    return ranks


def _ranks_without_flush(totals: Totals) -> Ranks:
    places = _START_BY_HIGH.take(totals >> HIGH_SHIFT)
    places += _PLACE_BY_LOW.take(totals & LOW_MASK)
    return _RANK_TABLE.take(places)


def _flush_ranks(totals: Totals, bits: Totals) -> Ranks:
    suits = _FLUSH_BIT_BY_SUIT.searchsorted((totals & FLUSH_BITS) >> SUIT_SHIFT)
    return _RANK_BY_FLUSH_MASK.take(bits >> suits * _RANKS & _ALL_RANKS)


def rank_columns(columns: Cards) -> Ranks:
    """Rank N hands in a (7, N) array of cards, one row per card of the hand."""
    totals = KEYS.take(columns[0])
    totals += NO_CARDS
    for column in columns[1:]:
        totals += KEYS.take(column)
    return rank_totals(totals, list(columns))
