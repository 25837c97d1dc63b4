"""Quantiles, against those of tables."""

import pytest
from casino_match.statistics.quantiles import normal_quantile, student_quantile


@pytest.mark.parametrize(
    ("probability", "freedom", "expected"),
    [
        (0.975, 29, 2.04523),
        (0.975, 99, 1.98422),
        (0.975, 1_000, 1.96234),
        (0.025, 29, -2.04523),
        (1 - 0.025 / 45, 29, 3.61975),
        (1 - 0.025 / 45, 99, 3.35916),
        (1 - 0.025 / 45, 1_000, 3.27028),
    ],
)
def test_students_quantiles_are_right(probability: float, freedom: int, expected: float) -> None:
    """From 30 decks on, up to those of 45 pairs together."""
    assert student_quantile(probability, freedom) == pytest.approx(expected, abs=0.001)


def test_normal_quantiles_are_the_limit() -> None:
    assert normal_quantile(0.975) == pytest.approx(1.959964, abs=1e-6)
    assert student_quantile(0.975, 10**7) == pytest.approx(1.959964, abs=1e-5)
