"""Intervals by drawing the decks again: the bootstrap, for many means at once. Pure."""

from hashlib import sha256
from math import sqrt

import numpy as np

from casino_match.statistics.quantiles import (
    CONFIDENCE,
    normal_probability,
    normal_quantile,
)
from casino_match.statistics.values import Floats

RESAMPLES = 2_000
MOST_GROUPS = 4_096
"""More decks than this are first added up in so many groups of equal size."""
_AT_ONCE = 250
"""Resamples that are drawn together, which bounds the memory."""


class Resamples:
    """Means of the same resamples of decks, for any columns of values.

    The resamples follow from the seed, a text. As every column sees the same resamples, the means
    of a difference are the differences of the means.
    """

    def __init__(self, values: Floats, seed: str) -> None:
        self._groups = grouped(values)
        count = len(self._groups)
        dice = np.random.default_rng(int(sha256(f"bootstrap {seed}".encode()).hexdigest(), 16))
        means = []
        for first in range(0, RESAMPLES, _AT_ONCE):
            rows = min(_AT_ONCE, RESAMPLES - first)
            drawn = dice.integers(count, size=(rows, count))
            drawn += np.arange(rows)[:, None] * count
            times = np.bincount(drawn.ravel(), minlength=rows * count).reshape(rows, count)
            means.append(times.astype(np.float64) @ self._groups / count)
        self.means: Floats = np.concatenate(means)
        """Resamples x columns."""

    def interval(self, column: Floats) -> tuple[float, float]:
        """Return the 95 % interval of a combination of columns, as their weights.

        Efron's BCa interval. Its bias correction is that of a mean to the same order, which
        equals the acceleration, a sixth of the skewness of the mean: without the noise of counting
        resamples.
        """
        groups, means = self._groups @ column, self.means @ column
        deviations = groups - groups.mean()
        squares = float(deviations @ deviations)
        if squares <= 0:
            mean = float(groups.mean())
            return mean, mean
        acceleration = float((deviations**3).sum()) / (6 * squares * sqrt(squares))
        return self._point(means, acceleration, -1), self._point(means, acceleration, 1)

    def _point(self, means: Floats, acceleration: float, side: int) -> float:
        z = acceleration + side * normal_quantile((1 + CONFIDENCE) / 2)
        level = normal_probability(acceleration + z / (1 - acceleration * z))
        return float(np.quantile(means, level))

    def largest(self, columns: Floats) -> float:
        """Return the 95 % quantile of the largest of several standardised deviations.

        `columns` are the combinations, one a column. Those that never vary are left out.
        """
        groups = self._groups @ columns
        errors = groups.std(axis=0, ddof=1) / sqrt(len(groups))
        varying = errors > 0
        if not varying.any():
            return 0.0
        deviations = self.means @ columns - groups.mean(axis=0)
        ratios = np.abs(deviations[:, varying]) / errors[varying]
        return float(np.quantile(ratios.max(axis=1), CONFIDENCE))


def grouped(values: Floats) -> Floats:
    """Return values of at most `MOST_GROUPS` groups of rows that have the mean of all rows.

    The error of their mean is that of the mean of all rows.

    >>> float(grouped(np.arange(10_000.0)[:, None]).mean())
    4999.5
    """
    rows = len(values)
    if rows <= MOST_GROUPS:
        return values
    starts = np.arange(MOST_GROUPS) * rows // MOST_GROUPS
    mean = values.mean(axis=0)
    sums = np.add.reduceat(values - mean, starts, axis=0)
    scaled: Floats = sums * (MOST_GROUPS / rows) + mean
    return scaled
