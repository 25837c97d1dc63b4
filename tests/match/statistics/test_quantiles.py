"""Quantiles, against those of scipy."""

import pytest
from casino_match.statistics.quantiles import normal_quantile, student_quantile
from scipy import stats

PROBABILITIES = (0.975, 1 - 0.025 / 45, 0.025, 0.5)


@pytest.mark.parametrize("freedom", [29, 30, 99, 499, 100_000])
@pytest.mark.parametrize("probability", PROBABILITIES)
def test_students_quantiles_are_right(probability: float, freedom: int) -> None:
    """From 30 decks on, up to those of 45 pairs together."""
    expected = stats.t.ppf(probability, freedom)
    assert student_quantile(probability, freedom) == pytest.approx(expected, abs=0.001)


@pytest.mark.parametrize("probability", PROBABILITIES)
def test_normal_quantiles_are_right(probability: float) -> None:
    """The limit of Student's."""
    assert normal_quantile(probability) == pytest.approx(stats.norm.ppf(probability), abs=1e-9)
