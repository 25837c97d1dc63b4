"""One round of blackjack with chosen cards, seat by seat."""

import pytest
from casino_games.blackjack.round import Round
from casino_games.cards import cards_from_text


def dealt(shoe: str, *bets: int, stack: int = 100, stands_on_soft_17: bool = True) -> Round:
    """Return a round in which the bets are made; the cards come in the order of dealing."""
    cards = iter(cards_from_text(shoe))
    now = Round([stack] * len(bets), cards, stands_on_soft_17=stands_on_soft_17)
    for bet in bets:
        now.bet(bet)
    return now


def test_cards_go_round_twice_and_the_dealer_is_last() -> None:
    """The dealer's second card lies face down."""
    now = dealt("2c3c4c5c6c7c", 10, 10)
    assert [box.hands[0].cards for box in now.boxes] == [
        cards_from_text("2c5c"),
        cards_from_text("3c6c"),
    ]
    assert now.dealer == cards_from_text("4c7c")
    assert (-1, 0, None) in now.happened


@pytest.mark.parametrize(
    ("shoe", "bets", "moves", "expected", "dealer"),
    [
        ("TcTdTh9d", [10], ["stand"], [10], 2),  # 20 against 19
        ("Tc9d8h9s", [10], ["stand"], [0], 2),  # equal totals give the bet back
        ("Tc9d8hTs", [10], ["stand"], [-10], 2),  # 18 against 19
        ("Ac9dKh7s", [10], [], [15], 2),  # a natural is paid 3:2 at once, and nothing is drawn
        ("Ac9dKh7s", [5], [], [7], 2),  # half a chip stays with the bank
        ("9cAcAd9dKcKd", [10, 10], [], [-10, 0], 2),  # the dealer's natural; a natural pushes
        ("9cTd9hAs", [10], [], [-10], 2),  # a ten is peeked under, too
        ("Tc6dThTs5c", [10], ["hit"], [-10], 2),  # a bust loses even if the dealer would
        ("Tc6d2hTsKc", [10], ["stand"], [10], 3),  # the dealer busts, and a low total is paid
        ("AcTc5dKcThTd6d", [10, 10], ["stand"], [15, -10], 3),  # a natural beats other 21
        ("5c9d6h9sTc", [10], ["hit"], [10], 2),  # 21 stands by itself
        ("5c9d6h9s9c", [10], ["double"], [20], 2),  # one card, and twice the bet
        ("Ac9dAh9sKc5d", [10], ["split"], [0], 2),  # split aces: a card each, 21 is no natural
        ("Kc6dKh5sAc9cTd", [10], ["split", "stand"], [-10], 3),  # 21 after a split is even with 21
        ("TcTd9c7d", [0, 10], ["stand"], [0, 10], 2),  # who passes gets no cards
        ("", [0, 0], [], [0, 0], 0),  # when all pass nothing is dealt
    ],
)
def test_a_round_is_paid(
    shoe: str, bets: list[int], moves: list[str], expected: list[int], dealer: int
) -> None:
    now = dealt(shoe, *bets)
    for move in moves:
        getattr(now, move)()
    assert now.phase == "over"
    assert [box.won for box in now.boxes] == expected
    assert len(now.dealer) == dealer


@pytest.mark.parametrize(("stands", "expected"), [(True, 10), (False, -10)])
def test_a_soft_seventeen_is_played_by_the_rule(stands: bool, expected: int) -> None:  # noqa: FBT001
    """Standing it loses to 18, hitting it gets 21."""
    now = dealt("TcAd8h6s4c", 10, stands_on_soft_17=stands)
    now.stand()
    assert now.boxes[0].won == expected


def test_doubling_needs_two_cards_and_the_chips() -> None:
    now = dealt("2c9d3h9s2d2h", 10)
    now.hit()
    assert not now.can_double
    assert dealt("5c9d6h9s", 10, stack=20).can_double
    assert not dealt("5c9d6h9s", 10, stack=19).can_double


def test_a_pair_of_equal_values_can_be_split_for_its_chips() -> None:
    """A king and a queen can be split, a nine and a ten cannot."""
    assert dealt("Kc9dQh9s", 10).can_split
    assert not dealt("Kc9d9h9s", 10).can_split
    assert not dealt("8c9d8h9s", 10, stack=19).can_split


def test_three_hands_are_the_most() -> None:
    """Played one after the other; a fourth is not offered, though cards and chips are there."""
    now = dealt("8c9d8h9s8d8s2c3c", 10)
    now.split()
    assert now.can_split
    now.split()
    hands = [hand.cards for hand in now.boxes[0].hands]
    assert hands == [cards_from_text(cards) for cards in ("8c2c", "8d3c", "8h8s")]
    assert now.can_double
    now.stand()
    now.stand()
    assert now.active == 2
    assert (now.can_double, now.can_split) == (True, False)
