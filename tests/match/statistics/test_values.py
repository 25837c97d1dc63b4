"""From blocks to observations in bb/100."""

import dataclasses

import numpy as np
from casino_match.domain.block import Block
from casino_match.statistics.values import joined, values_of
from support.match.made_blocks import made_block, made_deck, plan_of

PLAN = plan_of("tight", "equity", decks=4, decks_per_block=2)


def block(number: int) -> Block:
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
