"""Win rates and differences of players, by every estimator, with their intervals. Pure."""

from collections.abc import Sequence
from itertools import combinations
from typing import Final, get_args

import numpy as np
from casino_contracts.matches.results import Estimate, Estimator, Interval

from casino_match.statistics.adjustment import adjusted, without_all_ins
from casino_match.statistics.moments import Moments
from casino_match.statistics.quantiles import CONFIDENCE, student_quantile
from casino_match.statistics.resampling import Resamples
from casino_match.statistics.values import PER, DeckValues, Floats

FEWEST_DECKS: Final = 30
"""Below, there are no intervals: the variance of so few decks says nothing."""
HEADLINE: Final[Estimator] = "adjusted"
"""The estimator that decides, chosen before any result is known."""

_ESTIMATORS: Final[tuple[Estimator, ...]] = get_args(Estimator)
_DECIMALS = 4


class Sample:
    """All decks of a match, ready to be asked for any combination of its players.

    A combination is a weight for every player: 1 for one player alone, 1 and -1 for a difference.
    """

    def __init__(self, values: DeckValues, hands_per_deck: int, seed: str) -> None:
        self._hands_per_deck = hands_per_deck
        self._products = values.products
        self._players = values.nets.shape[1]
        self.decks = values.decks
        """The number of decks."""
        self._values = np.hstack([values.nets, without_all_ins(values), adjusted(values)])
        self._resamples = Resamples(self._values, seed) if self.decks >= FEWEST_DECKS else None

    def of_player(self, player: int) -> Floats:
        """Return the combination of a player alone."""
        weights = np.zeros(self._players)
        weights[player] = 1
        return weights

    def of_pair(self, first: int, second: int) -> Floats:
        """Return the combination that is the difference of two players."""
        difference: Floats = self.of_player(first) - self.of_player(second)
        return difference

    def column(self, estimator: Estimator, weights: Floats) -> Floats:
        """Return the values of a combination of players, by decks."""
        place = _ESTIMATORS.index(estimator) * self._players
        column: Floats = self._values[:, place : place + self._players] @ weights
        return column

    def moments(self, estimator: Estimator, weights: Floats) -> Moments:
        """Return the mean and the variance of a combination of players."""
        return Moments.of(self.column(estimator, weights))

    def estimates(self, weights: Floats) -> tuple[Estimate, ...]:
        """Return what every estimator says about a combination of players."""
        return tuple(self._estimate(estimator, weights) for estimator in _ESTIMATORS)

    def _estimate(self, estimator: Estimator, weights: Floats) -> Estimate:
        moments = self.moments(estimator, weights)
        normal = bootstrap = None
        if self._resamples is not None:
            quantile = student_quantile((1 + CONFIDENCE) / 2, moments.count - 1)
            normal = around(moments.mean, quantile * moments.error)
            low, high = self._resamples.interval(self._spread(estimator, weights))
            bootstrap = Interval(low=shown(low), high=shown(high))
        return Estimate(
            estimator=estimator,
            bb_per_100=shown(moments.mean),
            normal=normal,
            bootstrap=bootstrap,
            deck_deviation=shown(moments.deviation),
            variance_ratio=self._variance_ratio(moments, weights),
        )

    def _spread(self, estimator: Estimator, weights: Floats) -> Floats:
        """Return the weights of the columns of all estimators."""
        spread = np.zeros(len(_ESTIMATORS) * self._players)
        place = _ESTIMATORS.index(estimator) * self._players
        spread[place : place + self._players] = weights
        return spread

    def _variance_ratio(self, moments: Moments, weights: Floats) -> float | None:
        """Return the variance of a single hand divided by that of the estimator for each hand."""
        if self._products is None or moments.deviation <= 0:
            return None
        square = float(weights @ self._products @ weights) / (self.decks * self._hands_per_deck)
        mean = float(self.column("plain", weights).mean()) / PER
        per_hand = moments.deviation**2 * self._hands_per_deck
        return shown((square - mean**2) * PER**2 / per_hand)

    def simultaneous_quantile(self) -> float | None:
        """Return by how many standard errors the intervals of all pairs must reach to hold at once.

        The 95 % quantile of the largest of all deviations in the resamples, which takes into
        account how they hang together: never wider than by Bonferroni's inequality, and never
        narrower than one interval alone. None below 30 decks.
        """
        if self._resamples is None:
            return None
        pairs = list(combinations(range(self._players), 2))
        alone = student_quantile((1 + CONFIDENCE) / 2, self.decks - 1)
        if len(pairs) == 1:
            return alone
        columns = [self._spread(HEADLINE, self.of_pair(*pair)) for pair in pairs]
        widest = student_quantile(1 - (1 - CONFIDENCE) / 2 / len(pairs), self.decks - 1)
        return min(max(self._resamples.largest(np.array(columns).T), alone), widest)


def around(mean: float, half_width: float) -> Interval:
    """Return an interval around a mean."""
    return Interval(low=shown(mean - half_width), high=shown(mean + half_width))


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
