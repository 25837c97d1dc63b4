"""Intervals by drawing the decks again: the bootstrap, for many means at once. Pure."""

from hashlib import sha256
from math import inf, isfinite

import numpy as np

from casino_match.statistics.quantiles import CONFIDENCE
from casino_match.statistics.values import Floats

RESAMPLES = 2_000
MOST_GROUPS = 4_096
"""More decks than this are first added up in so many groups of equal size."""
_AT_ONCE = 250
"""Resamples that are drawn together, which bounds the memory."""
_CONSTANT = 1e-12
"""Relative variance below which a resample does not vary: it is rounding."""


class Resamples:
    """How far the means of resamples of the decks are from the means of the decks.

    The unit is the standard error of the resample itself (the bootstrap-t of Efron), without sign
    (the symmetric one of Hall): where big pots are rare, a resample without them has a small
    standard error and is far off, which makes the interval as wide as it has to be. The resamples
    follow from the seed, a text, and are the same for every column.
    """

    def __init__(self, values: Floats, seed: str, resamples: int = RESAMPLES) -> None:
        """`values` are rows of decks; its columns are the quantities whose means are of interest.

        Their intervals reach `quantile` standard errors to both sides.
        """
        groups = grouped(values)
        groups = groups - groups.mean(axis=0)
        count, columns = groups.shape
        self._varies: list[bool] = (np.square(groups).mean(axis=0) > 0).tolist()
        both = np.hstack([groups, np.square(groups)])
        dice = np.random.default_rng(int(sha256(f"bootstrap {seed}".encode()).hexdigest(), 16))
        parts = []
        for first in range(0, resamples, _AT_ONCE):
            rows = min(_AT_ONCE, resamples - first)
            drawn = dice.integers(count, size=(rows, count))
            drawn += np.arange(rows)[:, None] * count
            times = np.bincount(drawn.ravel(), minlength=rows * count).reshape(rows, count)
            moments = times.astype(np.float64) @ both / count
            parts.append(_ratios(moments[:, :columns], moments[:, columns:], groups))
        self._ratios: Floats = np.concatenate(parts)

    def quantile(self, *columns: int) -> float | None:
        """Return by how many standard errors the 95 % intervals of some columns must reach.

        They hold all at once: it is the quantile of the largest deviation of them. None where
        resamples say nothing, as too few decks differ from the others.
        """
        varying = [column for column in columns if self._varies[column]]
        if not varying:
            return 0.0
        largest = self._ratios[:, varying].max(axis=1)
        quantile = float(np.quantile(largest, CONFIDENCE, method="higher"))
        return quantile if isfinite(quantile) else None


def _ratios(means: Floats, squares: Floats, groups: Floats) -> Floats:
    """Return the deviations of resamples from 0, in their own standard errors."""
    count = len(groups)
    variances = squares - np.square(means)
    least = _CONSTANT * np.square(groups).mean(axis=0)
    errors = np.sqrt(np.maximum(variances, least) / (count - 1))
    ratios = np.full_like(means, inf)
    np.divide(np.abs(means), errors, out=ratios, where=variances > least)
    return ratios


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
