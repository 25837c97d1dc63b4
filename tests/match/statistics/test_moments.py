"""Moments of values in blocks are those of all values."""

import numpy as np
import pytest
from casino_match.statistics.moments import Moments


def test_blocks_add_up() -> None:
    """In blocks of any size, also empty ones."""
    values = np.random.default_rng(1).exponential(100.0, 1_000) + 5_000
    total = Moments()
    for start, end in ((0, 1), (1, 1), (1, 400), (400, 1_000)):
        total += Moments.of(values[start:end])
    assert total.count == 1_000
    assert total.mean == pytest.approx(values.mean())
    assert total.deviation == pytest.approx(values.std(ddof=1))
    assert total.error == pytest.approx(values.std(ddof=1) / 1_000**0.5)
    assert total.cubes == pytest.approx(((values - values.mean()) ** 3).sum())
    kurtosis = float(((values - values.mean()) ** 4).mean() / values.var() ** 2)
    assert total.variance_error == pytest.approx(((kurtosis - 1) / 1_000) ** 0.5)


def test_few_values_have_no_deviation() -> None:
    for values in ([], [3.0], [3.0, 3.0]):
        moments = Moments.of(np.array(values))
        assert (moments.deviation, moments.error, moments.variance_error) == (0, 0, 0)
