"""The main pot and the side pots of a running hand, from what each player has put in. Pure."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Final, NamedTuple

_DECIMALS: Final = 6
"""As many as an amount has: rounding removes what the subtraction of decimals leaves."""


class Stake(NamedTuple):
    """What one player has put in during a hand."""

    chips: float
    is_folded: bool = False
    is_all_in: bool = False


def side_pots(stakes: Iterable[Stake]) -> tuple[float, ...]:
    """Return the amounts of the main pot and of each side pot; their sum is all chips put in.

    A pot ends at the stake of a player who is all-in, where somebody else has more.

    >>> side_pots([Stake(50, is_all_in=True), Stake(120), Stake(120), Stake(10, is_folded=True)])
    (160, 140)
    """
    everybody = [*stakes]
    most = max((stake.chips for stake in everybody), default=0)
    ends = {stake.chips for stake in everybody if stake.is_all_in and not stake.is_folded}
    levels = sorted({0.0, most, *ends})
    return tuple(
        round(sum(min(stake.chips, high) - min(stake.chips, low) for stake in everybody), _DECIMALS)
        for low, high in pairwise(levels)
    )
