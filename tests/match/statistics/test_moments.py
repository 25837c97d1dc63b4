"""Moments, quantiles, and observations in bb/100."""

import dataclasses

import numpy as np
import pytest
from casino_match.domain.block import PlayedBlock
from casino_match.statistics.deck_values import Moments, joined, values_of
from casino_match.statistics.sequential import normal_quantile, student_quantile
from support.match.made_blocks import made_block, made_deck, plan_of


def test_blocks_add_up() -> None:
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


PLAN = plan_of("tight", "equity", decks=4, decks_per_block=2)


def block(number: int) -> PlayedBlock:
    """Return two decks; the second is the mirror of the first, with half the luck."""
    first, second = PLAN.decks_of(number)
    return made_block(
        PLAN,
        number,
        [
            made_deck(first, (10, -10), (-4, 4), luck=(8.0, -8.0)),
            made_deck(second, (-10, 10), (4, -4), luck=(-4.0, 4.0)),
        ],
    )


def test_a_deck_is_one_observation_per_hand_and_big_blind() -> None:
    """6 chips in 2 hands with a big blind of 2 are 150 bb/100."""
    values = values_of(PLAN, block(0))
    assert values.first == 0
    assert values.nets.tolist() == [[150, -150], [-150, 150]]
    assert values.controls.tolist() == [[[200], [-200]], [[-100], [100]]]


def test_products_are_of_hands() -> None:
    """Of 10, 4, 10 and 4 chips: 232 chips², 58 big blinds²."""
    values = values_of(PLAN, block(0))
    assert values.products is not None
    assert values.products.tolist() == [[58, -58], [-58, 58]]


def test_blocks_are_joined() -> None:
    values = joined([values_of(PLAN, block(0)), values_of(PLAN, block(1))])
    assert (values.first, values.decks) == (0, 4)
    assert values.nets[:, 0].tolist() == [150, -150, 150, -150]
    assert values.products is not None
    assert values.products[0, 0] == 116


def test_without_nets_of_hands_there_are_no_products() -> None:
    whole = block(0)
    without = dataclasses.replace(
        whole, decks=tuple(dataclasses.replace(deck, nets=()) for deck in whole.decks)
    )
    assert values_of(PLAN, without).products is None
    assert joined([values_of(PLAN, whole), values_of(PLAN, without)]).products is None
    assert np.array_equal(values_of(PLAN, without).nets, values_of(PLAN, whole).nets)
