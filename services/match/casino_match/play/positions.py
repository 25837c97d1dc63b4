"""Names of the positions, by the seat of the engine. Pure."""

from functools import cache
from typing import Final

_HEADS_UP: Final = 2
_LATE: Final = ("CO", "HJ")


@cache
def positions(seats: int) -> tuple[str, ...]:
    """Return the position of each seat; seat 0 is the first left of the button.

    >>> positions(2), positions(6)
    (('BB', 'BTN'), ('SB', 'BB', 'UTG', 'HJ', 'CO', 'BTN'))
    """
    if seats == _HEADS_UP:
        return ("BB", "BTN")
    others = seats - 3
    late = _LATE[: max(1, others - 1)][:others]
    early = ["UTG" if place == 0 else f"UTG+{place}" for place in range(others - len(late))]
    return ("SB", "BB", *early, *reversed(late), "BTN")
