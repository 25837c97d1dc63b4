"""Wald's test, and when it may decide."""

import numpy as np
import pytest
from casino_match.domain.plan import Stop
from casino_match.statistics.anytime import anytime_quantile
from casino_match.statistics.moments import Moments
from casino_match.statistics.sequential import (
    FEWEST_DECKS,
    log_likelihood_ratio,
    sequential_test,
)

STOP = Stop(rule="sprt", low=0.0, high=10.0, alpha=0.05, beta=0.1)


def normal(mean: float, decks: int, deviation: float = 100.0) -> Moments:
    values = np.random.default_rng(1).normal(size=decks)
    values = (values - values.mean()) / values.std()
    return Moments.of(mean + deviation * values)


def test_the_ratio_is_that_of_normal_likelihoods() -> None:
    """For a small difference: n (high - low) (mean - middle) / variance."""
    moments = normal(7.0, 10_000)
    expected = 10_000 * 10 * (7 - 5) / 100**2
    assert log_likelihood_ratio(STOP, moments) == pytest.approx(expected, rel=0.05)
    assert log_likelihood_ratio(STOP, normal(5.0, 10_000)) == pytest.approx(0, abs=1e-6)
    assert log_likelihood_ratio(STOP, Moments()) == 0


@pytest.mark.parametrize(("mean", "accepted"), [(12.0, "high"), (-2.0, "low"), (5.0, "none")])
def test_it_accepts_what_the_decks_say(mean: float, accepted: str) -> None:
    result = sequential_test(STOP, normal(mean, 10_000))
    assert result.accepted == accepted
    assert result.lower == pytest.approx(np.log(0.1 / 0.95), abs=1e-4)
    assert result.upper == pytest.approx(np.log(0.9 / 0.05), abs=1e-4)


def test_it_decides_nothing_on_few_decks() -> None:
    assert sequential_test(STOP, normal(500, FEWEST_DECKS - 1)).accepted == "none"
    assert sequential_test(STOP, normal(500, FEWEST_DECKS)).accepted == "high"


def test_identical_players_end_it() -> None:
    """Exactly 0 on every deck is not better by 10, and by 10 on every deck is."""
    same = Moments.of(np.zeros(FEWEST_DECKS))
    assert sequential_test(STOP, same).accepted == "low"
    assert sequential_test(STOP, Moments.of(np.full(FEWEST_DECKS, 10.0))).accepted == "high"


def test_heavy_tails_make_it_careful() -> None:
    """The same mean and deviation count less where one deck in a hundred decides."""
    stacks = np.zeros(1_000)
    stacks[::100] = 1_000.0
    heavy = Moments.of(stacks)
    light = normal(heavy.mean, 1_000, (heavy.squares / 1_000) ** 0.5)
    assert 0 < log_likelihood_ratio(STOP, heavy) < log_likelihood_ratio(STOP, light)


def test_an_interval_for_any_time_is_wider() -> None:
    """About 1.5 times at the planned number of decks, more elsewhere, and never narrower."""
    assert anytime_quantile(1_000, 1_000) == pytest.approx(1.54 * 1.96, abs=0.05)
    assert anytime_quantile(30, 1_000) > anytime_quantile(1_000, 1_000)
    assert anytime_quantile(100_000, 1_000) > anytime_quantile(1_000, 1_000)
