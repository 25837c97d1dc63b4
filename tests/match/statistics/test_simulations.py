"""The short form of bench/matches/intervals.py: how often the statistics are right."""

import doctest

import intervals
import pytest

SHORT = intervals.Size(matches=300, decks=200, resamples=400)


def test_the_example_of_the_limits_is_true() -> None:
    result = doctest.testmod(intervals)
    assert (result.attempted, result.failed) == (1, 0)


def test_intervals_hold_as_often_as_they_promise() -> None:
    """Within two standard errors of 93 to 97 %, for every estimator and both kinds."""
    coverage = intervals.single(SHORT, intervals.TRUTH, intervals.simulated)["coverage"]
    assert len(coverage) == 6
    assert all(90.5 <= percent <= 99 for percent in coverage.values()), coverage


@pytest.mark.full
def test_intervals_of_all_pairs_hold_together() -> None:
    assert intervals.simultaneous(SHORT) >= 92


@pytest.mark.parametrize(("truth", "wrong"), [(intervals.STOP.low, "high"), (80.0, "low")])
def test_the_sequential_test_is_seldom_wrong(truth: float, wrong: str) -> None:
    """At most 5 % and two standard errors of 200 matches; all of them are decided."""
    report = intervals.sequential(truth, 200)
    assert report[wrong] <= 8
    assert report["low"] + report["high"] == 100
    assert report["interval_holds"] >= 92
