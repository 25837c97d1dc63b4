"""Rank five, six or seven cards with one dictionary look-up, on the scale of treys.

A rank is an integer from 1 (royal flush) to 7462 (7-5-4-3-2 offsuit); lower is better. The source
is treys: five-card ranks are read from its tables, and a six- or seven-card rank is the best of the
five-card hands inside. treys tries the 21 five-card hands of seven cards, here the seven are looked
up.

Each card has a *key* with two fields:

```
bits 16..54   thirteen 3-bit counters, one per rank
bits  0..15   four 4-bit counters, one per suit
```

The sum of the keys of a hand counts its ranks and its suits at once. The suit counters start
at 3: a suit held five times reaches 8, and `total & 0x8888` is non-zero exactly for a flush.

* No flush: the rank counters are looked up by `total >> 16`.
* Flush: the ranks of that suit form a 13-bit mask, looked up in a list. Five suited cards among
  seven leave no room for quads or a full house, so the flush is always the best hand.

The caller must pass five, six or seven distinct cards; this is not checked.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, combinations_with_replacement
from math import prod
from typing import TypeAlias

from treys import Card as TreysCard
from treys import Evaluator
from treys.lookup import LookupTable

from casino_games.cards import DECK, Card

BEST_RANK = 1
WORST_RANK: int = LookupTable.MAX_HIGH_CARD

_RANKS = range(13)
_SUIT_BITS = 16
_SUIT_BIAS = 0x3333
_FLUSH_BITS = 0x8888
_COUNTER_BITS = 3
_COUNTER_MASK = 0b111
_CARDS_PER_RANK = 4
_HAND_SIZE = 5

KEYS: tuple[int, ...] = tuple(
    1 << (_SUIT_BITS + _COUNTER_BITS * (card // 4)) | 1 << (4 * (card % 4)) for card in DECK
)
"""The key of each card, indexed by card."""
_key_of = KEYS.__getitem__
_CARD_BY_KEY = {key: card for card, key in enumerate(KEYS)}


_Ranks: TypeAlias = tuple[int, ...]
"""Card ranks, lowest first."""


def _product(ranks: _Ranks) -> int:
    """Return treys' key of these ranks, a product of primes."""
    return prod(TreysCard.PRIMES[rank] for rank in ranks)


def _counters(ranks: _Ranks) -> int:
    return sum(1 << _COUNTER_BITS * rank for rank in ranks)


def _mask(ranks: _Ranks) -> int:
    return sum(1 << rank for rank in ranks)


def _with_one_more_card(table: dict[int, int]) -> dict[int, int]:
    """Extend a table of n-card counters to n + 1 cards, keeping the best rank of their parts."""
    larger: dict[int, int] = {}
    for counters, hand_rank in table.items():
        for shift in range(0, _COUNTER_BITS * len(_RANKS), _COUNTER_BITS):
            if (counters >> shift) & _COUNTER_MASK < _CARDS_PER_RANK:
                key = counters + (1 << shift)
                if hand_rank < larger.get(key, WORST_RANK + 1):
                    larger[key] = hand_rank
    return larger


def _rank_table(five: dict[_Ranks, int]) -> dict[int, int]:
    """Map the rank counters of every 5-, 6- and 7-card hand without a flush to its rank."""
    five_cards = {_counters(ranks): hand_rank for ranks, hand_rank in five.items()}
    six_cards = _with_one_more_card(five_cards)
    return five_cards | six_cards | _with_one_more_card(six_cards)


def _flush_table(five: dict[_Ranks, int]) -> list[int]:
    """Map the rank mask of the flush suit (5, 6 or 7 bits set) to the hand's rank."""
    table = [0] * (1 << len(_RANKS))
    for ranks, hand_rank in five.items():
        table[_mask(ranks)] = hand_rank
    for size in (6, 7):
        for ranks in combinations(_RANKS, size):
            mask = _mask(ranks)
            table[mask] = min(table[mask ^ 1 << rank] for rank in ranks)
    return table


_EVALUATOR = Evaluator()
_UNSUITED = {
    ranks: _EVALUATOR.table.unsuited_lookup[_product(ranks)]
    for ranks in combinations_with_replacement(_RANKS, _HAND_SIZE)
    if ranks[0] != ranks[-1]  # there are only four cards of a rank
}
_SUITED = {
    ranks: _EVALUATOR.table.flush_lookup[_product(ranks)]
    for ranks in combinations(_RANKS, _HAND_SIZE)
}
RANK_BY_COUNTERS = _rank_table(_UNSUITED)
RANK_BY_FLUSH_MASK = _flush_table(_SUITED)
_FLUSH_RANKS = frozenset(_SUITED.values())
_RANKS_OF_FIVE = {
    hand_rank: ranks[::-1] for table in (_UNSUITED, _SUITED) for ranks, hand_rank in table.items()
}
"""The ranks of the five cards of each hand rank, highest first."""
_CLASS_NAMES = [
    "",
    *(
        str(_EVALUATOR.class_to_string(_EVALUATOR.get_rank_class(hand_rank)))
        for hand_rank in range(BEST_RANK, WORST_RANK + 1)
    ),
]
"""The name of the class of each hand rank, indexed by rank."""


def _rank_flush(cards: Iterable[Card], total: int) -> int:
    flush_suit = ((total & _FLUSH_BITS).bit_length() - 1) // 4
    mask = 0
    for card in cards:
        if card & 3 == flush_suit:
            mask |= 1 << (card >> 2)
    return RANK_BY_FLUSH_MASK[mask]


def rank_cards(cards: Sequence[Card]) -> int:
    """Return the rank of the best five-card hand in five, six or seven cards."""
    total = sum(map(_key_of, cards), _SUIT_BIAS)
    if total & _FLUSH_BITS:
        return _rank_flush(cards, total)
    return RANK_BY_COUNTERS[total >> _SUIT_BITS]


def rank_keys(keys: Sequence[int]) -> int:
    """Return the rank of a hand from its `KEYS`; fastest for a single hand."""
    total = sum(keys, _SUIT_BIAS)
    if total & _FLUSH_BITS:
        return _rank_flush([_CARD_BY_KEY[key] for key in keys], total)
    return RANK_BY_COUNTERS[total >> _SUIT_BITS]


def rank_showdown(board: Sequence[Card], holes: Iterable[Sequence[Card]]) -> Iterator[int]:
    """Yield the rank of each pair of hole cards on one five-card board, which is summed once."""
    board_total = _SUIT_BIAS
    for card in board:
        board_total += KEYS[card]
    for first, second in holes:
        total = board_total + KEYS[first] + KEYS[second]
        if total & _FLUSH_BITS:
            yield _rank_flush((*board, first, second), total)
        else:
            yield RANK_BY_COUNTERS[total >> _SUIT_BITS]


def best_five(cards: Sequence[Card], rank: int) -> list[Card]:
    """Return the five cards, of five to seven, that have the `rank`, highest card first.

    Among equal combinations the highest suits (spades) are chosen.
    """
    best = []
    highest_first = iter(sorted(_suited(cards) if rank in _FLUSH_RANKS else cards, reverse=True))
    for wanted in _RANKS_OF_FIVE[rank]:
        for card in highest_first:
            if card >> 2 == wanted:
                best.append(card)
                break
    return best


def _suited(cards: Sequence[Card]) -> list[Card]:
    """Return the cards of the suit with at least five cards."""
    total = sum(map(_key_of, cards), _SUIT_BIAS)
    flush_suit = ((total & _FLUSH_BITS).bit_length() - 1) // 4
    return [card for card in cards if card & 3 == flush_suit]


def class_name(rank: int) -> str:
    """Return treys' name for the class of a rank, such as `"Full House"`."""
    return _CLASS_NAMES[rank]
