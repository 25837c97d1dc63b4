"""Win rates and differences of players, by every estimator, with their intervals. Pure."""

from collections.abc import Sequence
from hashlib import sha256
from itertools import combinations
from math import inf, isfinite
from typing import Final, get_args

import numpy as np
from casino_contracts.match_results import Estimate, Estimator, Interval

from casino_match.statistics.adjustment import adjusted, without_all_ins
from casino_match.statistics.deck_values import PER, DeckValues, Floats, Moments
from casino_match.statistics.sequential import CONFIDENCE, student_quantile

RESAMPLES = 2_000
MOST_GROUPS = 4_096
"""More decks than this are first added up in so many groups of equal size."""
_AT_ONCE = 250
"""Resamples that are drawn together, which bounds the memory."""
_CONSTANT = 1e-12
"""Relative variance below which a resample does not vary: it is rounding."""

FEWEST_DECKS: Final = 30
"""Below, there are no intervals: the variance of so few decks says nothing."""
FEW_DECKS: Final = 300
"""Below, nothing is decided: the rare big pots are often missing (docs/matches.md)."""
HEADLINE: Final[Estimator] = "adjusted"
"""The estimator that decides, chosen before any result is known."""
_ESTIMATORS: Final[tuple[Estimator, ...]] = get_args(Estimator)
_DECIMALS = 4
Pair = tuple[int, int]
Subject = int | Pair
"""A player, or the difference of two players."""


class Resamples:
    """How far the means of resamples of the decks are from the means of the decks.

    The unit is the standard error of the resample itself (the bootstrap-t of Efron), without sign
    (the symmetric one of Hall): where big pots are rare, a resample without them has a small
    standard error and is far off, which makes the interval as wide as it has to be. The resamples
    follow from the seed, a text, and are the same for every column.
    """

    def __init__(self, values: Floats, seed: str, resamples: int = RESAMPLES) -> None:
        """`values` are decks x quantities, whose means are of interest."""
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
        """Return the 95 % quantile of all columns' largest deviation; None with too few decks."""
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


class Sample:
    """All decks of a match: the win rates of its players, and the differences of its pairs."""

    def __init__(
        self, values: DeckValues, hands_per_deck: int, seed: str, resamples: int = RESAMPLES
    ) -> None:
        self._hands_per_deck = hands_per_deck
        self._products = values.products
        players = values.nets.shape[1]
        self.pairs: tuple[Pair, ...] = tuple(combinations(range(players), 2))
        """Of players, each once."""
        self.decks = values.decks
        self._weights = {
            subject: _weights_of(subject, players) for subject in (*range(players), *self.pairs)
        }
        combined = np.array(list(self._weights.values())).T
        nets = (values.nets, without_all_ins(values), adjusted(values))
        self._values = np.hstack([each @ combined for each in nets])
        self._resamples = None
        if self.decks >= FEWEST_DECKS:
            self._resamples = Resamples(self._values, seed, resamples)

    def column(self, estimator: Estimator, subject: Subject) -> Floats:
        return self._values[:, self._place(estimator, subject)]

    def _place(self, estimator: Estimator, subject: Subject) -> int:
        block = _ESTIMATORS.index(estimator) * len(self._weights)
        return block + list(self._weights).index(subject)

    def moments(self, estimator: Estimator, subject: Subject) -> Moments:
        return Moments.of(self.column(estimator, subject))

    def estimates(self, subject: Subject) -> tuple[Estimate, ...]:
        return tuple(self._estimate(estimator, subject) for estimator in _ESTIMATORS)

    def _estimate(self, estimator: Estimator, subject: Subject) -> Estimate:
        moments = self.moments(estimator, subject)
        normal = bootstrap = None
        if self._resamples is not None:
            normal = around(moments, student_quantile((1 + CONFIDENCE) / 2, self.decks - 1))
            reach = self._resamples.quantile(self._place(estimator, subject))
            bootstrap = None if reach is None else around(moments, reach)
        return Estimate(
            estimator=estimator,
            bb_per_100=shown(moments.mean),
            normal=normal,
            bootstrap=bootstrap,
            deck_deviation=shown(moments.deviation),
            variance_ratio=self._variance_ratio(moments, subject),
        )

    def _variance_ratio(self, moments: Moments, subject: Subject) -> float | None:
        """Return the variance of a single hand divided by that of the estimator for each hand."""
        if self._products is None or moments.deviation <= 0:
            return None
        weights = self._weights[subject]
        square = float(weights @ self._products @ weights) / (self.decks * self._hands_per_deck)
        mean = float(self.column("plain", subject).mean()) / PER
        per_hand = moments.deviation**2 * self._hands_per_deck
        return shown((square - mean**2) * PER**2 / per_hand)

    def simultaneous_quantile(self) -> float | None:
        """Return how many standard errors all pairs need to hold at once, None if unknown."""
        if self._resamples is None:
            return None
        alone = student_quantile((1 + CONFIDENCE) / 2, self.decks - 1)
        reach = self._resamples.quantile(*(self._place(HEADLINE, pair) for pair in self.pairs))
        return None if reach is None else max(alone, reach)


def _weights_of(subject: Subject, players: int) -> Floats:
    weights = np.zeros(players)
    first, second = subject if isinstance(subject, tuple) else (subject, None)
    weights[first] = 1
    if second is not None:
        weights[second] = -1
    return weights


def around(moments: Moments, errors: float) -> Interval:
    """Return the interval that reaches so many standard errors to both sides of the mean."""
    half_width = errors * moments.error
    return Interval(low=shown(moments.mean - half_width), high=shown(moments.mean + half_width))


def shown(number: float) -> float:
    """Round a number of a result, so that the last bits of machines do not differ."""
    return round(number, _DECIMALS) + 0.0


def running(column: Floats, ends: Sequence[int]) -> list[Moments]:
    """Return the moments of the first values of a column, for every one of several numbers."""
    result, moments, start = [], Moments(), 0
    for end in ends:
        moments += Moments.of(column[start:end])
        result.append(moments)
        start = end
    return result
