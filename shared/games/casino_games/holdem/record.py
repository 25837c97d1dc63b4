"""Types of a hand: chips, seats, streets and recorded actions.

Seats count from the first left of the button: with three players or more seat 0 is the small
blind and seat 1 the big blind; heads-up seat 0 is the big blind and seat 1, the button, the small
blind. So the button is always the last seat, and "lowest seat first" is "first seat left of the
button first".
"""

from typing import Final, Literal, TypeAlias

Chips: TypeAlias = int
"""A whole number of the table's smallest unit."""
Seat: TypeAlias = int
"""0 is the first seat left of the button."""
Street: TypeAlias = int
"""0 before the flop, 1 flop, 2 turn, 3 river."""
Kind: TypeAlias = Literal["fold", "check", "call", "bet", "raise", "all-in"]
ForcedKind: TypeAlias = Literal["ante", "small_blind", "big_blind"]

NOBODY: Final[Seat] = -1
RIVER: Final[Street] = 3
MOST_SEATS: Final = 22
"""Two cards each, five for the board and three to burn: 22 seats use the deck up."""

ForcedBet: TypeAlias = tuple[Seat, ForcedKind, Chips]
"""A seat, its ante or blind, and the chips paid, which may be less with a short stack."""

Action: TypeAlias = tuple[Seat, Street, Kind, Chips | None, Chips, Chips, Chips]
"""A decision and its immediate effect: (seat, street, kind, amount, paid, stack, pot).

`amount` is the seat's total for the street after a call, bet, raise or all-in, and `None` for
a fold or a check; `paid` are the added chips, `stack` the rest of the seat's chips, `pot` all chips
of the hand so far. A plain tuple, because one is created for every decision.
"""
