"""Amounts of bets at a bank as numbered actions: fixed parts of the offered range. Pure."""

from collections.abc import Iterator, Sequence
from typing import Final

from casino_games.game import Json

BET_PARTS: Final = (0.0, 0.25, 0.5, 1.0)
"""Where an amount is between the smallest and the largest that is offered."""


def names(bet: str, parts: Sequence[float]) -> tuple[str, ...]:
    """Return the names of a bet's numbered actions.

    >>> names("bet", (0.0, 0.25, 1.0))
    ('bet-min', 'bet-0.25', 'bet-max')
    """
    ends = {0.0: "min", 1.0: "max"}
    return tuple(f"{bet}-{ends.get(part, f'{part:g}')}" for part in parts)


def amounts(offer: Json, parts: Sequence[float]) -> Iterator[tuple[int, int]]:
    """Yield the index of each part with its amount, without amounts that were there before.

    >>> list(amounts({"min": 2, "max": 3}, (0.0, 0.25, 1.0)))
    [(0, 2), (2, 3)]
    """
    used: set[int] = set()
    for index, part in enumerate(parts):
        amount = offer["min"] + round(part * (offer["max"] - offer["min"]))
        if amount not in used:
            used.add(amount)
            yield index, amount
