"""Rank five, six or seven cards by looking up a sum, on the scale of treys.

A rank is an integer from 1 (royal flush) to 7462 (7-5-4-3-2 offsuit); lower is better. treys tries
the 21 five-card hands of seven cards, here the seven are looked up (`tables`). The caller must pass
five, six or seven distinct cards; this is not checked.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from casino_games.cards import DECK, Card
from casino_games.holdem.ranking.tables import (
    CLASS_NAMES,
    FIVE_AND_END,
    FLUSH_BITS,
    HIGH_SHIFT,
    IS_FLUSH,
    KEYS,
    LOW_MASK,
    NO_CARDS,
    PLACE_BY_LOW,
    RANK_BY_FLUSH_MASK,
    RANKS,
    RANKS_OF_FIVE,
    START_BY_HIGH,
    SUIT_SHIFT,
)

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
    """Return the five cards, of five to seven, that have the `rank`, highest card first.

    Among equal combinations the highest suits (spades) are chosen.
    """
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
