"""Win rates and their intervals."""

from random import Random

import pytest
from casino_contracts.play_statistics import FEWEST_HANDS, WinRate, quantile_975


def rate(*results: float) -> WinRate:
    counted = WinRate()
    for result in results:
        counted.add(result)
    return counted


@pytest.mark.parametrize(
    ("freedom", "exact"),
    [(10, 2.228139), (29, 2.045230), (99, 1.984217), (999, 1.962341)],
)
def test_the_quantile_is_student_s(freedom: int, exact: float) -> None:
    assert quantile_975(freedom) == pytest.approx(exact, abs=0.001)


@pytest.mark.parametrize("hands", [0, 1, 3, FEWEST_HANDS - 1])
def test_few_hands_have_no_interval(hands: int) -> None:
    """Neither ± 0 nor ± inf."""
    few = rate(*(Random(hands).choice((-2, 2)) for _ in range(hands)))
    assert (few.hands, few.half_interval) == (hands, None)


def test_equal_results_have_no_interval() -> None:
    """Fifty lost blinds do not show that nothing else can happen."""
    folded = rate(*[-1.0] * 50)
    assert (folded.per_100, folded.half_interval) == (-100, None)


def test_from_thirty_hands_on_the_interval_is_that_of_student() -> None:
    """Mean 0.5, deviation 1.5256 (30 hands): 2.0452 * 1.5256 / sqrt(30) * 100."""
    some = rate(*(2, -1) * 15)
    assert some.per_100 == pytest.approx(50)
    assert some.half_interval == pytest.approx(56.97, abs=0.01)


def test_the_interval_covers_the_truth_nineteen_times_in_twenty() -> None:
    """Two thousand samples of forty hands of a skewed game with mean 0."""
    random = Random(17)
    covered = 0
    for _ in range(2000):
        sample = rate(*(random.choice((-1, -1, 0, 2)) for _ in range(40)))
        assert sample.half_interval is not None
        covered += abs(sample.per_100) <= sample.half_interval
    assert 1860 <= covered <= 1940


@pytest.mark.parametrize("cut", [0, 1, 7, 40])
def test_rates_of_parts_make_the_rate_of_all(cut: int) -> None:
    random = Random(cut)
    results = [random.choice((-3.5, -1, 0, 12)) for _ in range(40)]
    merged = rate(*results[:cut])
    merged.include(rate(*results[cut:]))
    whole = rate(*results)
    assert merged.hands == whole.hands
    assert merged.mean == pytest.approx(whole.mean)
    assert merged.squares == pytest.approx(whole.squares)
