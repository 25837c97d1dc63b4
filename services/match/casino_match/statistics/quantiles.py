"""Quantiles of the normal distribution and of Student's t. Pure."""

from statistics import NormalDist

CONFIDENCE = 0.95
"""Of every interval of a match."""

_NORMAL = NormalDist()


def normal_quantile(probability: float) -> float:
    """Return the quantile of the standard normal distribution."""
    return _NORMAL.inv_cdf(probability)


def normal_probability(quantile: float) -> float:
    """Return the probability of a smaller value in the standard normal distribution."""
    return _NORMAL.cdf(quantile)


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
