"""What cards count, and when the dealer draws."""

import pytest
from casino_games.blackjack.round import (
    POINTS_OF_A_DECK,
    VALUES,
    can_hide_a_natural,
    count,
    dealer_draws,
    is_natural,
)
from casino_games.cards import NAMES, cards_from_text


def test_face_cards_are_tens_and_an_ace_is_one_or_eleven() -> None:
    values = {name[0]: VALUES[card] for card, name in enumerate(NAMES)}
    numbers = {str(number): number for number in range(2, 10)}
    assert values == numbers | {"T": 10, "J": 10, "Q": 10, "K": 10, "A": 1}
    assert POINTS_OF_A_DECK == 340


@pytest.mark.parametrize(
    ("cards", "total"),
    [
        ("", (0, False)),
        ("2c3d", (5, False)),
        ("KcQd", (20, False)),
        ("KcQd2h", (22, False)),
        ("Ac7d", (18, True)),
        ("AcAd", (12, True)),
        ("AcAd9h", (21, True)),
        ("AcAdTh", (12, False)),
        ("AcKd", (21, True)),
        ("Ac5d5h", (21, True)),
        ("Ac6dTh", (17, False)),
    ],
)
def test_a_hand_counts_its_best_total(cards: str, total: tuple[int, bool]) -> None:
    """At most one ace is 11, and only while that does not bust."""
    assert count(cards_from_text(cards)) == total


def test_a_natural_is_an_ace_and_a_ten_at_once() -> None:
    """Three cards that count 21 are none."""
    assert is_natural(cards_from_text("AcJd"))
    assert not is_natural(cards_from_text("Ac5d5h"))
    assert not is_natural(cards_from_text("KcQd"))


def test_the_dealer_peeks_under_aces_and_tens() -> None:
    peeks = {NAMES[card][0] for card in range(52) if can_hide_a_natural(card)}
    assert peeks == set("ATJQK")


@pytest.mark.parametrize(
    ("cards", "standing", "hitting"),
    [
        ("Tc6d", True, True),
        ("Tc7d", False, False),
        ("Ac6d", False, True),
        ("Ac5dAh", False, True),
        ("Ac7d", False, False),
        ("Ac6dTh", False, False),
        ("Ac5d", True, True),
        ("KcQd5h", False, False),
    ],
)
def test_the_dealer_draws_to_seventeen(cards: str, *, standing: bool, hitting: bool) -> None:
    """A soft 17 is where the two rules differ."""
    hand = cards_from_text(cards)
    assert dealer_draws(hand, stands_on_soft_17=True) is standing
    assert dealer_draws(hand, stands_on_soft_17=False) is hitting
