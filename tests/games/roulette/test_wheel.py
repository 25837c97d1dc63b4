"""Every bet has the same expected loss, exactly."""

import re
from fractions import Fraction

import pytest
from casino_games.roulette.game import COVERED, PAYS, POCKETS, color, won_by
from casino_games.roulette.spec import PlacedBet
from pydantic import ValidationError


@pytest.mark.parametrize("bet", COVERED)
def test_every_bet_loses_a_thirty_seventh_of_its_stake(bet: str) -> None:
    """Over all 37 pockets, exactly."""
    stake = 7
    mean = Fraction(sum(won_by(bet, stake, pocket) for pocket in POCKETS), len(POCKETS))
    assert mean == Fraction(-stake, 37)


def test_the_bets_are_those_of_a_european_table() -> None:
    """Six even chances, three dozens, three columns, 37 numbers."""
    pays = {1: 6, 2: 6, 35: 37}
    assert {pay: list(PAYS.values()).count(pay) for pay in pays} == pays
    assert len(COVERED) == 49
    assert COVERED["dozen-2"] == set(range(13, 25))
    assert COVERED["column-3"] == {3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36}
    assert COVERED["low"] == set(range(1, 19))
    assert {1, 18, 19, 36} <= COVERED["red"]
    assert {2, 10, 11, 17, 20, 28, 29, 35} <= COVERED["black"]


@pytest.mark.parametrize(
    "parts",
    [
        ("red", "black"),
        ("odd", "even"),
        ("low", "high"),
        ("dozen-1", "dozen-2", "dozen-3"),
        ("column-1", "column-2", "column-3"),
    ],
)
def test_outside_bets_share_all_numbers_but_the_zero(parts: tuple[str, ...]) -> None:
    pockets = [pocket for part in parts for pocket in COVERED[part]]
    assert sorted(pockets) == list(range(1, 37))


def test_colors_are_those_of_the_bets() -> None:
    assert color(0) == "green"
    for pocket in range(1, 37):
        assert pocket in COVERED[color(pocket)]


def test_the_specification_knows_exactly_these_bets() -> None:
    """Its pattern is short; it lets through what is on the table and nothing else."""
    words = {f"{word}-{n}" for word in ("straight", "dozen", "column") for n in range(-1, 110)}
    words |= {"red", "black", "odd", "even", "low", "high", "green", "straight-00", "straight-07"}
    for word in words | set(COVERED):
        try:
            PlacedBet(bet=word, amount=1)
        except ValidationError:
            assert word not in COVERED
        else:
            assert word in COVERED
    assert not [bet for bet in COVERED if re.search(r"\s", bet)]
