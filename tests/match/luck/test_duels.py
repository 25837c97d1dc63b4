"""What the cards of a street are worth to two seats, compared with every board counted alone."""

import random
from collections.abc import Sequence
from statistics import mean

import numpy as np
import pytest
from casino_games.cards import DECK
from casino_match.luck.deals import Columns, Deal
from casino_match.luck.duels import Duels

from .conftest import deal_of

Board = tuple[int, int, int]
"""The levels of the seat and of the other, and who is ahead, on a board."""


def ramp(level: float, low: int, high: int) -> float:
    """Return how far a level is from the low to the high one, 0..1."""
    return min(max((level - low) / (high - low), 0.0), 1.0)


def boards_of(deal: Deal, own: int, other: int, columns: Columns) -> list[Board]:
    """Return what two seats have on each board."""
    ranks = deal.ranks[:, columns].astype(int)
    ahead = np.sign(ranks[other] - ranks[own])
    levels = deal.levels[:, columns]
    return list(zip(levels[own].tolist(), levels[other].tolist(), ahead.tolist(), strict=True))


def values_of(boards: Sequence[Board]) -> list[float]:
    values = [
        (
            ahead,
            (ahead > 0) * ramp(min(own, other), 4, 6),
            (ahead > 0) * ramp(min(own, other), 6, 8),
            ramp(own, 0, 4) * ramp(other, 4, 10),
        )
        for own, other, ahead in boards
    ]
    return [mean(column) for column in zip(*values, strict=True)]


def clashes_of(boards: Sequence[Board]) -> list[float]:
    own, other, ahead = (mean(column) for column in zip(*boards, strict=True))
    return [
        ahead * ramp(own, 4, 8) * ramp(other, 1, 4),
        ahead * ramp(own, 2, 4) * ramp(other, 3, 6),
    ]


@pytest.mark.parametrize("number", range(4))
def test_gains_are_the_values_after_the_cards_minus_their_mean(number: int) -> None:
    """On flop, turn and river, for both seats of a pair among three."""
    cards = random.Random(number).sample(DECK, 11)
    deal = Deal([(cards[0], cards[1]), (cards[2], cards[3]), (cards[4], cards[5])], cards[6:9])
    board = tuple(cards[6:])
    duels = Duels(deal, (0, 1, 2))
    for pair, (first, second) in enumerate(((0, 1), (0, 2), (1, 2))):
        flop, turn, river = (duels.gains(board[:size])[pair] for size in (3, 4, 5))
        for place, (own, other) in enumerate([(first, second), (second, first)]):

            def boards(columns: Columns, own: int = own, other: int = other) -> list[Board]:
                return boards_of(deal, own, other, columns)

            sizes = (0, 3, 4, 5)
            after = [np.array(values_of(boards(deal.boards_after(board[:k])))) for k in sizes]
            here, *flops = (np.array(clashes_of(boards(row))) for row in deal.flops)
            turns = [clashes_of(boards(row))[0] for row in deal.turns]
            clash = clashes_of(boards(deal.boards_after(board[:4])))[0] - mean(turns)
            expected_flop = [*(after[1] - after[0]), *(here - np.mean(flops, axis=0))]
            np.testing.assert_allclose(flop[place], expected_flop, atol=1e-12)
            np.testing.assert_allclose(turn[place], [*(after[2] - after[1]), clash], atol=1e-12)
            np.testing.assert_allclose(river[place], after[3] - after[2], atol=1e-12)


def test_a_set_against_an_overpair_is_a_clash() -> None:
    """Both hands are strong, and the set is far ahead; the other seat loses as much or less."""
    holes, flop = deal_of(["9c9d", "AhAs"], "Th9s4d")
    ahead, _, _, _, strong, _ = Duels(Deal(holes, flop), (0, 1)).gains(flop)[0][0]
    behind = Duels(Deal(holes, flop), (0, 1)).gains(flop)[0][1]
    assert ahead == -behind[0] > 1  # from an underdog to a favourite
    assert strong > 0.5
    assert behind[4] < -0.5


def test_hands_that_miss_do_not_clash() -> None:
    """Neither is worth chips on a board that helps none."""
    holes, board = deal_of(["6c5d", "3h2s"], "KhQsJd")
    deal = Deal(holes, board)
    _, fair, strong, against, *_ = Duels(deal, (0, 1)).gains(board)[0][0]
    assert fair <= 0
    assert strong <= 0
    assert against <= 0
