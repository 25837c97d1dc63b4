"""What decides when a match is over: quantiles, anytime intervals, a sequential test. Pure.

The test is Wald's for a normal mean whose variance is estimated from the same decks: the
generalised likelihood ratio, where each hypothesis has the variance that fits it best. Two things
keep its errors below `alpha` and `beta` although decks have heavy tails. The variance is taken
larger than it looks by half its standard error, as few decks often lack the biggest pots. And it is
looked at only at the ends of blocks, where the ratio has usually passed its bound by some way: that
makes errors rarer still, and matches longer by about half a block.
"""

from dataclasses import dataclass
from math import log, sqrt
from statistics import NormalDist
from typing import Literal

from casino_contracts.match_results import SequentialTest

from casino_match.domain.plan import StopRule
from casino_match.statistics.deck_values import Moments

FEWEST_DECKS = 200
"""Nothing is decided before, as the variance of fewer decks says little: big pots are rare."""
_CAUTION = 0.5
"""Standard errors of the variance by which it is taken larger than it looks."""
_DECIMALS = 4
_LEAST = 1e-12
"""Keeps the logarithm finite for players who differ by the same on every deck."""

CONFIDENCE = 0.95
"""Of every interval of a match."""
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class RatioBounds:
    """The log-likelihood ratios at which the test ends."""

    lower: float
    upper: float

    @classmethod
    def of(cls, stop: StopRule) -> "RatioBounds":
        """Return Wald's bounds.

        >>> bounds = Bounds.of(Stop(alpha=0.05, beta=0.05))
        >>> round(bounds.lower, 3), round(bounds.upper, 3)
        (-2.944, 2.944)
        """
        return cls(log(stop.beta / (1 - stop.alpha)), log((1 - stop.beta) / stop.alpha))


def sequential_test(stop: StopRule, difference: Moments) -> SequentialTest:
    """Return what the decks so far say about the difference of the first two players."""
    bounds, ratio = RatioBounds.of(stop), log_likelihood_ratio(stop, difference)
    accepted: Literal["low", "high", "none"] = "none"
    if difference.count >= FEWEST_DECKS:
        accepted = "high" if ratio >= bounds.upper else "low" if ratio <= bounds.lower else "none"
    return SequentialTest(
        accepted=accepted,
        log_likelihood_ratio=round(ratio, _DECIMALS),
        lower=round(bounds.lower, _DECIMALS),
        upper=round(bounds.upper, _DECIMALS),
    )


def log_likelihood_ratio(stop: StopRule, difference: Moments) -> float:
    """Return the log of how much better `high` explains the decks than `low`; 0 without a deck."""
    if not difference.count:
        return 0.0
    mean = difference.mean
    variance = difference.squares / difference.count
    variance *= 1 + _CAUTION * difference.variance_error
    at_low = variance + (mean - stop.low) ** 2
    at_high = variance + (mean - stop.high) ** 2
    return difference.count / 2 * (log(max(at_low, _LEAST)) - log(max(at_high, _LEAST)))


def normal_quantile(probability: float) -> float:
    return _NORMAL.inv_cdf(probability)


def student_quantile(probability: float, freedom: int) -> float:
    """Return the quantile of Student's t distribution by Fisher's expansion.

    `freedom` is the number of degrees of freedom; from 29 on, the error of the quantiles of 95 %
    intervals, and of those of 45 pairs together, is below 0.001.

    >>> round(student_quantile(0.975, 29), 4), round(student_quantile(0.975, 100_000), 4)
    (2.0452, 1.96)
    """
    z = normal_quantile(probability)
    return (
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
        + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92_160 * freedom**4)
    )


def anytime_quantile(count: int, planned: int) -> float:
    """Return by how many standard errors a 95 % interval reaches after any number of values.

    The asymptotic confidence sequence of Waudby-Smith and others (2024), with Robbins' mixture
    that is narrowest at `planned` values. There it is about 1.5 times as wide as the interval for
    a number of values that was fixed beforehand.
    """
    miss = 1 - CONFIDENCE
    best = -2 * log(miss) + log(1 - 2 * log(miss))
    spread = count * best / planned
    factor = 2 * (spread + 1) / spread * log(sqrt(spread + 1) / miss)
    return sqrt(factor)
