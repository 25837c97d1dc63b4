"""Luck is taken out and nothing else; estimates, their intervals, and when a test decides."""

import dataclasses

import numpy as np
import pytest
from casino_match.domain.plan import StopRule
from casino_match.statistics import sequential
from casino_match.statistics.adjustment import (
    FOLDS,
    Fit,
    PastFit,
    adjusted,
    columns_of,
    without_all_ins,
)
from casino_match.statistics.deck_values import DeckValues, Moments
from casino_match.statistics.estimates import (
    FEWEST_DECKS,
    MOST_GROUPS,
    Resamples,
    Sample,
    grouped,
    running,
)
from casino_match.statistics.sequential import (
    anytime_quantile,
    log_likelihood_ratio,
    sequential_test,
    student_quantile,
)
from simulated_decks import HANDS_PER_DECK, SimulatedDecks, several_players


def sample_of(values: DeckValues, hands: int = HANDS_PER_DECK, seed: str = "seed") -> Sample:
    """Return a sample with few resamples."""
    return Sample(values, hands, seed, resamples=200)


def test_the_normal_interval_is_students() -> None:
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


def test_the_luck_of_all_ins_is_taken_as_it_is() -> None:
    values = SimulatedDecks(1, 7.0).draw(200)
    assert np.array_equal(without_all_ins(values), values.nets - values.controls[:, :, 0])


def test_luck_that_explains_everything_is_taken_out_completely() -> None:
    """Whatever its multiple is, in the limit of many decks."""
    dice = np.random.default_rng(1)
    luck = dice.normal(0, 300, 20_000)
    controls = np.stack([np.zeros_like(luck), luck], axis=1)[:, None, :].repeat(2, axis=1)
    controls[:, 1] *= -1
    nets = np.column_stack([5 + 1.7 * luck, -5 - 1.7 * luck])
    result = adjusted(DeckValues(0, nets, controls, None))
    assert result[:, 0] == pytest.approx(np.full(20_000, 5.0), abs=1)


def test_a_deck_has_no_part_in_its_own_multiples() -> None:
    """Its fold is the deck number modulo the folds, in whatever block it is."""
    values = SimulatedDecks(1, 7.0).draw(100)
    other = values.nets.copy()
    deck = 3 * FOLDS + 4
    other[deck] += (1_000, -1_000)
    change = adjusted(dataclasses.replace(values, nets=other)) - adjusted(values)
    same_fold = np.arange(100) % FOLDS == 4
    assert change[deck].tolist() == pytest.approx([1_000, -1_000])
    same_fold[deck] = False
    assert np.abs(change[same_fold]).max() == 0
    same_fold[deck] = True
    assert (np.abs(change[~same_fold]).max(axis=1) > 0).all()


def test_values_still_sum_to_zero() -> None:
    values, _ = several_players(1, 4, 500)
    assert adjusted(values).sum(axis=1) == pytest.approx(np.zeros(500), abs=1e-6)


def test_the_estimators_are_unbiased() -> None:
    """The mean errors over 1,000 matches of 60 decks, where multiples are fitted badly."""
    truth, errors = 7.0, []
    for seed in range(1_000):
        values = SimulatedDecks(seed, truth).draw(60)
        parts = (values.nets, without_all_ins(values), adjusted(values))
        errors.append([part[:, 0].mean() * 2 - truth for part in parts])
    deviations = np.std(errors, axis=0, ddof=1) / 1_000**0.5
    assert (np.abs(np.mean(errors, axis=0)) < 3 * deviations).all()
    plain, all_in, without_luck = deviations
    assert without_luck < all_in < plain


@pytest.mark.parametrize("decks", [1, 2, 5, 30])
def test_few_decks_and_useless_controls_do_no_harm(decks: int) -> None:
    values = SimulatedDecks(1, 7.0).draw(decks)
    doubled = np.concatenate(
        [values.controls, values.controls[:, :, 1:] * 2, np.zeros((decks, 2, 1))], axis=2
    )
    result = adjusted(dataclasses.replace(values, controls=doubled))
    assert np.isfinite(result).all()
    none = dataclasses.replace(values, controls=values.controls[:, :, :0])
    assert np.array_equal(adjusted(none), values.nets)


def test_past_blocks_decide_about_the_next() -> None:
    """The first is without the luck of all-ins only; the second by multiples of the first."""
    decks, past = SimulatedDecks(1, 7.0), PastFit()
    first, second = decks.draw(2_000), decks.draw(2_000, first=2_000)
    assert np.array_equal(past.adjust(first), without_all_ins(first))
    fit = Fit.of(columns_of(first), without_all_ins(first))
    multiples = fit.multiples(columns_of(first).shape[1])
    expected = without_all_ins(second) - columns_of(second) @ multiples
    assert past.adjust(second) == pytest.approx(expected)
    assert np.var(expected[:, 0]) < np.var(without_all_ins(second)[:, 0])


STOP = StopRule(rule="sprt", low=0.0, high=10.0, alpha=0.05, beta=0.1)


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
    assert sequential_test(STOP, normal(500, sequential.FEWEST_DECKS - 1)).accepted == "none"
    assert sequential_test(STOP, normal(500, sequential.FEWEST_DECKS)).accepted == "high"


def test_identical_players_end_it() -> None:
    """Exactly 0 on every deck is not better by 10, and by 10 on every deck is."""
    same = Moments.of(np.zeros(sequential.FEWEST_DECKS))
    assert sequential_test(STOP, same).accepted == "low"
    assert (
        sequential_test(STOP, Moments.of(np.full(sequential.FEWEST_DECKS, 10.0))).accepted == "high"
    )


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
