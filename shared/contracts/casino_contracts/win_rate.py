"""A win rate and its 95 % interval, from the results of single hands. Pure."""

from dataclasses import dataclass
from math import sqrt

FEWEST_HANDS = 30
"""Number of hands below which there is no interval: their variance says nothing yet."""

_PER = 100
_NORMAL_975 = 1.959964
"""The 97.5 % quantile of the normal distribution."""


@dataclass
class WinRate:
    """Mean result of a player's hands, per 100 hands, in the unit of the results.

    The results are added one by one; their mean and variance are updated by Welford's method, so a
    session of any length takes no memory.

    >>> rate = WinRate()
    >>> for result in (2, -1) * 50:
    ...     rate.add(result)
    >>> rate.hands, rate.per_100, round(rate.half_interval, 2)
    (100, 50.0, 29.91)
    """

    hands: int = 0
    mean: float = 0.0
    squares: float = 0.0
    """Sum of the squared deviations from the mean."""

    def add(self, result: float) -> None:
        """Count the result of one more hand."""
        self.hands += 1
        deviation = result - self.mean
        self.mean += deviation / self.hands
        self.squares += deviation * (result - self.mean)

    @property
    def per_100(self) -> float:
        """The mean of 100 hands; 0 without a hand."""
        return self.mean * _PER

    @property
    def half_interval(self) -> float | None:
        """Half the width of the 95 % interval around `per_100`, by Student's t distribution.

        None where the hands say nothing about it: fewer than `FEWEST_HANDS`, or all with the same
        result.
        """
        if self.hands < FEWEST_HANDS or self.squares <= 0:
            return None
        variance = self.squares / (self.hands - 1)
        return quantile_975(self.hands - 1) * sqrt(variance / self.hands) * _PER


def quantile_975(freedom: int) -> float:
    """Return the 97.5 % quantile of Student's t distribution by Fisher's expansion.

    `freedom` is the number of degrees of freedom; from 10 on, the error is below 0.001.

    >>> round(quantile_975(29), 4), round(quantile_975(1000), 4)
    (2.0452, 1.9623)
    """
    z = _NORMAL_975
    return (
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    )
