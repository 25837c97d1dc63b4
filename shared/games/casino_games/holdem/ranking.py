"""Rank five, six or seven cards by looking up a sum, on the scale of treys.

A rank is an integer from 1 (royal flush) to 7462 (7-5-4-3-2 offsuit); lower is better. treys tries
the 21 five-card hands of seven cards, here the seven are looked up. The caller must pass five, six
or seven distinct cards; this is not checked. Each card has a *key*, an integer with three fields:

```
bits 30..46   base-5 counters of the seven high ranks (8 .. ace)
bits 14..29   four 4-bit suit counters, started at 3
bits  0..13   base-5 counters of the six low ranks (deuce .. 7)
```

A rank occurs at most four times, so base-5 digits never carry, and the sum of the keys of a hand
counts its ranks and its suits at once. A suit held five times reaches 8, which sets a bit of
`FLUSH_BITS`.

* No flush: the two rank fields are the indices of two lists. All hands with the same high cards
  are adjacent in `RANKS`, from `START_BY_HIGH`, ordered by their low cards (`PLACE_BY_LOW`).
* Flush: the ranks of that suit form a 13-bit mask, looked up in a list. Five suited cards among
  seven leave no room for quads or a full house, so the flush is always the best hand.

Five-card ranks are read from treys' tables, which are not kept; a six- or seven-card rank is the
best of the five-card hands inside. The lists take about a megabyte, a quarter of a dictionary of
the same hands, so that more look-ups of a showdown are found in the processor's cache.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations, combinations_with_replacement
from math import prod
from typing import Final, NamedTuple, TypeAlias

from treys import Card as TreysCard
from treys import Evaluator
from treys.lookup import LookupTable

from casino_games.cards import DECK, Card

BEST_RANK: Final = 1
WORST_RANK: Final[int] = LookupTable.MAX_HIGH_CARD

_RANKS: Final = range(13)
_LOW_RANKS: Final = 6
_HIGH_RANKS: Final = 7
SUIT_SHIFT: Final = 14
HIGH_SHIFT: Final = 30
LOW_MASK: Final = (1 << SUIT_SHIFT) - 1
FLUSH_BITS: Final = 0x8888 << SUIT_SHIFT
NO_CARDS: Final = 0x3333 << SUIT_SHIFT
"""The sum before any card is added: suit counters at 3."""
_CARDS_PER_RANK: Final = 4
_HAND_SIZE: Final = 5
FIVE_AND_END: Final = 6
NO_RANK: Final = 255
_MOST_CARDS: Final = 7


def _key(card: Card) -> int:
    rank, suit = divmod(card, 4)
    counter: int = 5**rank if rank < _LOW_RANKS else 5 ** (rank - _LOW_RANKS) << HIGH_SHIFT
    return counter | 1 << (SUIT_SHIFT + 4 * suit)


KEYS: Final[tuple[int, ...]] = tuple(_key(card) for card in DECK)
"""The key of each card, indexed by card."""


_Ranks: TypeAlias = tuple[int, ...]
"""Card ranks, lowest first."""


def _product(ranks: _Ranks) -> int:
    """Return treys' key of these ranks, a product of primes."""
    return prod(TreysCard.PRIMES[rank] for rank in ranks)


def _mask(ranks: _Ranks) -> int:
    return sum(1 << rank for rank in ranks)


def _counted(digits: int) -> list[int]:
    """Return the number of cards in each number of base-5 counters with so many digits."""
    counts = [0]
    for _ in range(digits):
        counts = [digit + count for digit in range(5) for count in counts]
    return counts


def _places() -> tuple[list[int], list[int], int]:
    """Return `START_BY_HIGH`, `PLACE_BY_LOW` and the number of hands.

    Low counters are numbered by their number of cards. High counters with h cards are followed by
    all low counters with 5 - h to 7 - h cards; their start is where those with none would begin.
    """
    low_counts, high_counts = _counted(_LOW_RANKS), _counted(_HIGH_RANKS)
    place_by_low, first = [0] * len(low_counts), [0]
    for count in range(_MOST_CARDS + 1):
        same = [low for low, cards in enumerate(low_counts) if cards == count]
        for place, low in enumerate(same, first[count]):
            place_by_low[low] = place
        first.append(first[count] + len(same))
    start_by_high, size = [0] * len(high_counts), 0
    for high, cards in enumerate(high_counts):
        if cards <= _MOST_CARDS:
            least = first[max(_HAND_SIZE - cards, 0)]
            start_by_high[high] = size - least
            size += first[_MOST_CARDS - cards + 1] - least
    return start_by_high, place_by_low, size


def _by_number_of_cards(digits: int, places: list[int]) -> list[list[tuple[int, list[int]]]]:
    """Return the place of counters, and the places with one more card, by number of cards."""
    by_number: list[list[tuple[int, list[int]]]] = [[] for _ in range(_MOST_CARDS)]
    powers = [5**digit for digit in range(digits)]
    for counters, cards in enumerate(_counted(digits)):
        if cards < _MOST_CARDS:
            free = [power for power in powers if counters // power % 5 < _CARDS_PER_RANK]
            larger = [places[counters + power] for power in free]
            by_number[cards].append((places[counters], larger))
    return by_number


def _rank_list(five: dict[_Ranks, int]) -> list[int]:
    """Return the best rank of every 5-, 6- and 7-card hand without a flush, at its place."""
    best = [WORST_RANK] * _HANDS
    for ranks, hand_rank in five.items():
        high, low = divmod(sum(5**rank for rank in ranks), 5**_LOW_RANKS)
        best[START_BY_HIGH[high] + PLACE_BY_LOW[low]] = hand_rank
    highs = _by_number_of_cards(_HIGH_RANKS, START_BY_HIGH)
    lows = _by_number_of_cards(_LOW_RANKS, PLACE_BY_LOW)
    for cards in range(_HAND_SIZE, _MOST_CARDS):
        for high_cards in range(cards + 1):
            for start, higher_starts in highs[high_cards]:
                for place, higher_places in lows[cards - high_cards]:
                    hand_rank = best[start + place]
                    for larger in higher_starts:
                        best[larger + place] = min(best[larger + place], hand_rank)
                    for larger in higher_places:
                        best[start + larger] = min(best[start + larger], hand_rank)
    return best


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


class _Tables(NamedTuple):
    """What the look-ups need of treys' tables."""

    ranks: list[int]
    rank_by_flush_mask: list[int]
    is_flush: bytes
    ranks_of_five: bytes
    class_names: list[str]


def _tables() -> _Tables:
    """Read treys' tables, which are not kept."""
    evaluator = Evaluator()
    unsuited: dict[_Ranks, int] = {
        ranks: evaluator.table.unsuited_lookup[_product(ranks)]
        for ranks in combinations_with_replacement(_RANKS, _HAND_SIZE)
        if ranks[0] != ranks[-1]  # there are only four cards of a rank
    }
    suited: dict[_Ranks, int] = {
        ranks: evaluator.table.flush_lookup[_product(ranks)]
        for ranks in combinations(_RANKS, _HAND_SIZE)
    }
    is_flush, ranks_of_five = bytearray(WORST_RANK + 1), bytearray(FIVE_AND_END * (WORST_RANK + 1))
    for table in (unsuited, suited):
        for ranks, hand_rank in table.items():
            is_flush[hand_rank] = table is suited
            start = hand_rank * FIVE_AND_END
            ranks_of_five[start : start + FIVE_AND_END] = bytes([*ranks[::-1], NO_RANK])
    names = [
        str(evaluator.class_to_string(evaluator.get_rank_class(hand_rank)))
        for hand_rank in range(BEST_RANK, WORST_RANK + 1)
    ]
    return _Tables(
        _rank_list(unsuited),
        _flush_table(suited),
        bytes(is_flush),
        bytes(ranks_of_five),
        ["", *names],
    )


_PLACES: Final = _places()
START_BY_HIGH: Final[list[int]] = _PLACES[0]
PLACE_BY_LOW: Final[list[int]] = _PLACES[1]
_HANDS: Final[int] = _PLACES[2]
_TABLES: Final = _tables()
RANKS: Final[list[int]] = _TABLES.ranks
RANK_BY_FLUSH_MASK: Final[list[int]] = _TABLES.rank_by_flush_mask
IS_FLUSH: Final[bytes] = _TABLES.is_flush
RANKS_OF_FIVE: Final[bytes] = _TABLES.ranks_of_five
"""For each hand rank the ranks of its five cards, highest first, and then `NO_RANK`."""
CLASS_NAMES: Final[list[str]] = _TABLES.class_names
"""The name of the class of each hand rank, indexed by rank."""


_CARD_BY_KEY: Final = {key: card for card, key in enumerate(KEYS)}
_RANK_OF: Final[tuple[int, ...]] = tuple(card // 4 for card in DECK)


def _rank_flush(cards: Iterable[Card], total: int) -> int:
    flush_suit = _flush_suit(total)
    mask = 0
    for card in cards:
        if card & 3 == flush_suit:
            mask |= 1 << (card >> 2)
    return RANK_BY_FLUSH_MASK[mask]


def _flush_suit(total: int) -> int:
    return ((total & FLUSH_BITS).bit_length() - 1 - SUIT_SHIFT) // 4


def rank_cards(cards: Sequence[Card]) -> int:
    """Return the rank of the best five-card hand in five, six or seven cards."""
    total = NO_CARDS
    for card in cards:
        total += KEYS[card]
    if total & FLUSH_BITS:
        return _rank_flush(cards, total)
    return RANKS[START_BY_HIGH[total >> HIGH_SHIFT] + PLACE_BY_LOW[total & LOW_MASK]]


def rank_keys(keys: Sequence[int]) -> int:
    """Return the rank of a hand from its `KEYS`; fastest for a single hand."""
    total = sum(keys, NO_CARDS)
    if total & FLUSH_BITS:
        return _rank_flush([_CARD_BY_KEY[key] for key in keys], total)
    return RANKS[START_BY_HIGH[total >> HIGH_SHIFT] + PLACE_BY_LOW[total & LOW_MASK]]


def rank_showdown(board: Sequence[Card], holes: Iterable[Sequence[Card]]) -> list[int]:
    """Return the rank of each pair of hole cards on one five-card board, which is summed once."""
    return rank_holes(tuple(board), [(first, second) for first, second in holes])


def rank_holes(board: tuple[Card, ...], holes: list[tuple[Card, Card]]) -> list[int]:
    """Do the same for tuples, as the engine has them."""
    keys = KEYS
    a, b, c, d, e = board
    board_total = NO_CARDS + keys[a] + keys[b] + keys[c] + keys[d] + keys[e]
    ranks = []
    for first, second in holes:
        total = board_total + keys[first] + keys[second]
        if total & FLUSH_BITS:
            ranks.append(_rank_flush((*board, first, second), total))
        else:
            start = START_BY_HIGH[total >> HIGH_SHIFT]
            ranks.append(RANKS[start + PLACE_BY_LOW[total & LOW_MASK]])
    return ranks


def best_five(cards: Sequence[Card], rank: int) -> list[Card]:
    """Return the five cards that have the `rank`, highest first, of equal ones the best suits."""
    wanted = rank * FIVE_AND_END
    highest_first = _suited(cards) if IS_FLUSH[rank] else [*cards]
    highest_first.sort()
    highest_first.reverse()
    best: list[Card] = []
    for card in highest_first:
        if _RANK_OF[card] == RANKS_OF_FIVE[wanted]:
            best.append(card)
            wanted += 1
    return best


def _suited(cards: Sequence[Card]) -> list[Card]:
    """Return the cards of the suit with at least five cards."""
    total = NO_CARDS
    for card in cards:
        total += KEYS[card]
    flush_suit = _flush_suit(total)
    return [card for card in cards if card & 3 == flush_suit]


def class_name(rank: int) -> str:
    """Return treys' name for the class of a rank, such as `"Full House"`."""
    return CLASS_NAMES[rank]


_HIGH_CARD_POINTS = {12: 10.0, 11: 8.0, 10: 7.0, 9: 6.0}
_QUEEN = 10
_GAP_COSTS = {0: 0, 1: 1, 2: 2, 3: 4}


def chen_points(hole_cards: Sequence[Card]) -> float:
    """Return the Chen points of hole cards, not rounded up: 20 for aces, below 0 for the worst."""
    high, low = sorted((card // 4 for card in hole_cards), reverse=True)
    points = _HIGH_CARD_POINTS.get(high, (high + 2) / 2)
    if high == low:
        return max(5.0, 2 * points)
    first, second = hole_cards
    if first % 4 == second % 4:
        points += 2
    gap = high - low - 1
    points -= _GAP_COSTS.get(gap, 5)
    is_straight_maker = gap <= 1 and high < _QUEEN
    return points + 1 if is_straight_maker else points
