"""Deal hole cards and board from a shuffled deck, in the order of live poker.

Hole cards go round one at a time from seat 0 (the first left of the button; heads-up that is the
big blind), twice. Then burn, flop; burn, turn; burn, river.
"""

from collections.abc import Sequence

from casino_games.cards import Card

Hole = tuple[Card, Card]
Board = tuple[Card, ...]

_BOARD_AND_BURNS = 8


def cards_needed(seats: int) -> int:
    """Return the number of cards that a hand can use, including burned ones."""
    return 2 * seats + _BOARD_AND_BURNS


def deal(deck: Sequence[Card], seats: int) -> tuple[list[Hole], Board]:
    """Return the hole cards of each seat and the five cards of the board."""
    holes = list(zip(deck[:seats], deck[seats : 2 * seats], strict=True))
    _, flop_1, flop_2, flop_3, _, turn, _, river = deck[2 * seats : cards_needed(seats)]
    return holes, (flop_1, flop_2, flop_3, turn, river)
