"""Control variates of a hand: how lucky each seat was at each chance event, in chips. Pure.

Each is zero in the mean whatever the players do, so that results from which any multiple of them is
taken keep their mean.
"""

from typing import Final

from casino_games.holdem import Hand

CONTROLS: Final[tuple[str, ...]] = ("all-in",)
"""Names of the control variates, in the order of `controls_of`."""


def controls_of(hand: Hand) -> list[tuple[float, ...]]:
    """Return the control variates of each seat of a hand that is over."""
    return [(0.0,) * len(CONTROLS) for _ in hand.stacks]
