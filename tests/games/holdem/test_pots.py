"""Refunds, pots and awards conserve the chips."""

import pytest
from casino_games.holdem.hand import Pot, award, build_pots, split, uncalled_bet


def test_the_part_of_a_bet_that_nobody_matched_comes_back() -> None:
    """The largest contribution is compared with the second largest, folded or not."""
    assert uncalled_bet([100, 500, 300]) == (1, 200)


def test_a_matched_bet_does_not_come_back() -> None:
    assert uncalled_bet([500, 100, 500]) is None


def test_equal_contributions_make_one_pot() -> None:
    """The folded seat's chips are in it, the seat is not."""
    assert build_pots([50, 200, 200], [1, 2], 450) == [Pot(450, (1, 2))]


def test_every_all_in_level_makes_a_pot() -> None:
    assert build_pots([100, 200, 300, 300], [0, 1, 2, 3], 900) == [
        Pot(400, (0, 1, 2, 3)),
        Pot(300, (1, 2, 3)),
        Pot(200, (2, 3)),
    ]


def test_folded_chips_lie_in_the_pots_whose_level_they_reached() -> None:
    """A folder who put in 250 paid 100 to the main pot and 150 to the side pot."""
    assert build_pots([100, 250, 300, 300], [0, 2, 3], 950) == [
        Pot(400, (0, 2, 3)),
        Pot(550, (2, 3)),
    ]


def test_a_side_pot_may_have_one_contender_left() -> None:
    """Who folded left chips there, and they are not uncalled."""
    assert build_pots([100, 300, 300], [0, 1], 700) == [Pot(300, (0, 1)), Pot(400, (1,))]


def test_dead_money_belongs_to_the_main_pot() -> None:
    assert build_pots([100, 300, 300], [0, 1, 2], 800) == [Pot(400, (0, 1, 2)), Pot(400, (1, 2))]


def test_the_lowest_rank_takes_the_pot() -> None:
    """Ranks of those who do not play for this pot are not asked."""
    prize = award(Pot(400, (1, 2)), {0: 1, 1: 500, 2: 400})
    assert prize == (400, (1, 2), ((2, 400),))


@pytest.mark.parametrize(
    ("amount", "winners", "shares"),
    [
        (12, [0, 1, 2], [4, 4, 4]),
        (13, [0, 1, 2], [5, 4, 4]),
        (17, [0, 2, 3], [6, 6, 5]),
        (11, [1, 2], [6, 5]),
        (2, [0, 1, 2], [1, 1, 0]),
    ],
)
def test_odd_chips_go_one_each_to_the_first_winners_left_of_the_button(
    amount: int, winners: list[int], shares: list[int]
) -> None:
    """Seats are numbered from there, so the first winners are the lowest seats."""
    assert list(split(amount, winners)) == list(zip(winners, shares, strict=True))
