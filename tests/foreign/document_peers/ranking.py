"""Cards, the rank of a hand of Hold'em, and the division of the pot."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

RANKS = "23456789TJQKA"
SUITS = ("hearts", "diamonds", "clubs", "spades")
Card = tuple[str, str]

_ACE_LOW = [12, 3, 2, 1, 0]


def deck() -> list[Card]:
    """Return the 52 cards in order."""
    return [(rank, suit) for rank in RANKS for suit in SUITS]


def shown(cards: Iterable[Card]) -> list[dict[str, str]]:
    """Return cards as the document writes them."""
    return [{"rank": rank, "suit": suit} for rank, suit in cards]


def best(cards: Iterable[Card]) -> tuple[Any, ...]:
    """Return the rank of the best five of these cards; a higher tuple wins."""
    return max(map(_of_five, combinations(cards, 5)))


def _of_five(cards: tuple[Card, ...]) -> tuple[Any, ...]:
    values = sorted((RANKS.index(rank) for rank, _ in cards), reverse=True)
    counted = sorted(Counter(values).items(), key=lambda item: (-item[1], -item[0]))
    pattern = tuple(count for _, count in counted)
    order = [value for value, _ in counted]
    is_flush = len({suit for _, suit in cards}) == 1
    is_straight = pattern == (1, 1, 1, 1, 1) and (values[0] - values[4] == 4 or values == _ACE_LOW)
    if is_straight and values == _ACE_LOW:
        order = [3, 2, 1, 0, -1]
    if is_straight or is_flush:
        return (8 if is_straight and is_flush else 5 if is_flush else 4, *order)
    kinds = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}
    return (kinds.get(pattern, 0), *order)


def winnings(
    paid: Mapping[str, int], ranks: Mapping[str, tuple[Any, ...]], order: Iterable[str]
) -> dict[str, int]:
    """Divide what was paid among the players that are left, whose hands are `ranks`.

    Each layer of the pot goes to the best of those who paid it; odd chips go in `order`.
    """
    won = dict.fromkeys(paid, 0)
    left = dict(paid)
    while any(left.values()):
        layer = min(chips for chips in left.values() if chips)
        payers = [player for player, chips in left.items() if chips]
        pot = layer * len(payers)
        for player in payers:
            left[player] -= layer
        rivals = [player for player in payers if player in ranks] or list(ranks)
        top = max(ranks[player] for player in rivals)
        winners = [player for player in order if player in rivals and ranks[player] == top]
        for number, player in enumerate(winners):
            won[player] += pot // len(winners) + (number < pot % len(winners))
    return won
