"""Deal hole cards and board from a shuffled deck, in the order of live poker.

Hole cards go round one at a time from seat 0 (the first left of the button; heads-up that is the
big blind), twice. Then burn, flop; burn, turn; burn, river.
"""

from collections.abc import Sequence
from typing import Final

from casino_games.cards import Card

Hole = tuple[Card, Card]
Board = tuple[Card, ...]

_BOARD_AND_BURNS: Final = 8


def cards_needed(seats: int) -> int:
    """Return the number of cards that a hand can use, including burned ones."""
    return 2 * seats + _BOARD_AND_BURNS


def deal(deck: Sequence[Card], seats: int) -> tuple[list[Hole], Board]:
    """Return the hole cards of each seat and the five cards of the board."""
    holes = [(deck[seat], deck[seat + seats]) for seat in range(seats)]
    burn = 2 * seats
    board = (deck[burn + 1], deck[burn + 2], deck[burn + 3], deck[burn + 5], deck[burn + 7])
    return holes, board
