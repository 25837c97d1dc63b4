"""Luck is taken out, and nothing else."""

import dataclasses

import numpy as np
import pytest
from casino_match.statistics.adjustment import (
    FOLDS,
    Fit,
    PastFit,
    adjusted,
    columns_of,
    without_all_ins,
)
from casino_match.statistics.values import DeckValues
from simulated_decks import SimulatedDecks, several_players


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
    """Of all players of a deck, as chips do."""
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
    """Constant, doubled and missing controls leave finite values."""
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
