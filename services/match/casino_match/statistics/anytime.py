"""An interval that holds whenever one looks, also where looking decides when to stop. Pure."""

from math import log, sqrt

from casino_match.statistics.quantiles import CONFIDENCE


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
