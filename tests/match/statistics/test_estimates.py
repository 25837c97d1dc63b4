"""Estimates, their intervals, and how many hands they save."""

import dataclasses

import numpy as np
import pytest
from casino_match.statistics.estimates import FEWEST_DECKS, Sample, running
from casino_match.statistics.quantiles import student_quantile
from casino_match.statistics.resampling import MOST_GROUPS, Resamples, grouped
from casino_match.statistics.values import DeckValues
from simulated_decks import HANDS_PER_DECK, SimulatedDecks, several_players


def sample_of(values: DeckValues, hands: int = HANDS_PER_DECK, seed: str = "seed") -> Sample:
    """Return a sample with few resamples."""
    return Sample(values, hands, seed, resamples=200)


def test_the_normal_interval_is_students() -> None:
    """The quantile of 99 degrees of freedom is 1.9842."""
    values = SimulatedDecks(1, 7.0).draw(100)
    plain = sample_of(values).estimates(0)[0]
    mean = values.nets[:, 0].mean()
    half = 1.9842 * values.nets[:, 0].std(ddof=1) / 10
    assert plain.estimator == "plain"
    assert plain.normal is not None
    assert (plain.normal.low, plain.normal.high) == pytest.approx(
        (mean - half, mean + half), rel=1e-4
    )


def test_a_pair_is_the_difference_of_its_players() -> None:
    values, _ = several_players(1, 3, 100)
    sample = sample_of(values, 3)
    rates = [sample.estimates(player) for player in range(3)]
    for first, second in sample.pairs:
        for own, other, pair in zip(
            rates[first], rates[second], sample.estimates((first, second)), strict=True
        ):
            difference = own.bb_per_100 - other.bb_per_100
            assert pair.bb_per_100 == pytest.approx(difference, abs=0.001)


def test_there_are_no_intervals_of_few_decks() -> None:
    for decks, expected in ((FEWEST_DECKS - 1, True), (FEWEST_DECKS, False)):
        sample = sample_of(SimulatedDecks(1, 7.0).draw(decks))
        for estimate in sample.estimates((0, 1)):
            assert (estimate.normal is None) == (estimate.bootstrap is None) == expected
        assert (sample.simultaneous_quantile() is None) == expected


def test_the_bootstrap_follows_from_the_seed() -> None:
    """The same seed is the same interval, another one is a little different."""
    values = SimulatedDecks(1, 7.0).draw(100)
    first, again, other = (sample_of(values, seed=seed).estimates(0) for seed in ("a", "a", "b"))
    assert first == again
    assert first[0].bootstrap != other[0].bootstrap
    assert first[0].normal == other[0].normal


def test_players_who_never_differ_are_exactly_equal() -> None:
    """Without any width, by every estimator; other pairs are not affected."""
    values, _ = several_players(1, 3, 100)
    same = values.nets.copy()
    same[:, 2] = same[:, 1]
    controls = values.controls.copy()
    controls[:, 2] = controls[:, 1]
    sample = sample_of(dataclasses.replace(values, nets=same, controls=controls), 3)
    for estimate in sample.estimates((1, 2)):
        assert estimate.bb_per_100 == 0
        assert estimate.deck_deviation == 0
        for interval in (estimate.normal, estimate.bootstrap):
            assert interval is not None
            assert (interval.low, interval.high) == (0, 0)
    assert sample.simultaneous_quantile()


def test_one_deck_that_differs_says_nothing() -> None:
    """A third of the resamples lack it: there is no interval by resamples."""
    nets = np.zeros((100, 2))
    nets[3] = (500, -500)
    sample = sample_of(DeckValues(0, nets, np.zeros((100, 2, 1)), None))
    plain = sample.estimates(0)[0]
    assert plain.bootstrap is None
    assert plain.normal is not None
    assert sample.simultaneous_quantile() is None


def test_many_decks_are_grouped_without_losing_the_mean_or_its_error() -> None:
    """As many groups as the bootstrap draws at most."""
    values = np.random.default_rng(1).normal(5, 100, (3 * MOST_GROUPS + 7, 1))
    groups = grouped(values)
    assert len(groups) == MOST_GROUPS
    assert groups.mean() == pytest.approx(values.mean())
    error, expected = (each.std(ddof=1) / len(each) ** 0.5 for each in (groups, values))
    assert error == pytest.approx(expected, rel=0.05)
    reach = Resamples(values, "seed", 2_000).quantile(0)
    assert reach == pytest.approx(1.96, abs=0.1)


def test_all_pairs_reach_further_than_a_single_one() -> None:
    """And less far than each for itself, by Bonferroni's inequality."""
    values = np.random.default_rng(1).normal(0, 100, (500, 3))
    values -= values.mean(axis=1, keepdims=True)
    sample = Sample(DeckValues(0, values, np.zeros((500, 3, 0)), None), 3, "seed")
    reach = sample.simultaneous_quantile()
    assert reach is not None
    assert 2.2 < reach < student_quantile(1 - 0.025 / 3, 499) + 0.02


def test_the_variance_ratio_compares_equal_numbers_of_hands() -> None:
    """Mirrored hands that cancel half of the luck: counted from single hands."""
    dice = np.random.default_rng(1)
    skill, luck = dice.normal(0, 1, (2, 20_000, 2))
    hands = np.stack([skill[:, 0] + luck[:, 0], skill[:, 1] - luck[:, 0]], axis=1)
    nets = hands.mean(axis=1) * 100
    products = np.array([[1, -1], [-1, 1]]) * float((hands**2).sum())
    values = DeckValues(
        0, np.column_stack([nets, -nets]), np.zeros((20_000, 2, 0)), products.astype(np.float64)
    )
    for subject in (0, 1, (0, 1)):
        for estimate in sample_of(values).estimates(subject):
            assert estimate.variance_ratio == pytest.approx(2, rel=0.05)


def test_moments_of_the_first_decks() -> None:
    column = np.arange(10.0)
    means = [(moments.count, moments.mean) for moments in running(column, [1, 4, 10])]
    assert means == [(1, 0.0), (4, 1.5), (10, 4.5)]
