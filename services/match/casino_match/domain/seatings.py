"""Who sits where when a deck is played: every rotation of the seats, or every order. Pure."""

from itertools import permutations
from math import factorial
from typing import Final, Literal

Seating = tuple[int, ...]
"""The index of the player in each seat; seat 0 is the first left of the button."""
Seatings = Literal["rotations", "all"]

MOST_ORDERS: Final = 720
"""All orders of six players; more players are only rotated."""


def seatings_of(players: int, kind: Seatings = "rotations") -> tuple[Seating, ...]:
    """Return the seatings in which each deck is played, always in the same order.

    Every player sits in every seat equally often. Raises ValueError for too many orders.

    >>> seatings_of(3)
    ((0, 1, 2), (1, 2, 0), (2, 0, 1))
    """
    if kind == "all":
        if factorial(players) > MOST_ORDERS:
            raise ValueError(f"{players} players have too many orders: use rotations")
        return tuple(permutations(range(players)))
    order = tuple(range(players))
    return tuple(order[shift:] + order[:shift] for shift in range(players))
