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


def won(now: Round) -> list[int]:
    """Return what every seat won, of a round that is over."""
    assert now.phase == "over"
    return [box.won for box in now.boxes]


class TestDealing:
    def test_cards_go_round_twice_and_the_dealer_is_last(self) -> None:
        now = dealt("2c3c4c5c6c7c", 10, 10)
        assert [box.hands[0].cards for box in now.boxes] == [
            cards_from_text("2c5c"),
            cards_from_text("3c6c"),
        ]
        assert now.dealer == cards_from_text("4c7c")
        assert (-1, 0, None) in now.happened

    def test_who_passes_gets_no_cards(self) -> None:
        """It cannot win or lose."""
        now = dealt("TcTd9c7d", 0, 10)
        assert now.actor == 1
        now.stand()
        assert won(now) == [0, 10]  # 19 against 17
        assert now.boxes[0].hands == []

    def test_when_all_pass_nothing_is_dealt(self) -> None:
        now = dealt("", 0, 0)
        assert won(now) == [0, 0]
        assert now.dealer == []


class TestPay:
    @pytest.mark.parametrize(
        ("shoe", "expected"),
        [
            ("TcTdTh9d", 10),  # 20 against 19
            ("Tc9d8h9s", 0),  # 18 against 18
            ("Tc9d8hTs", -10),  # 18 against 19
        ],
    )
    def test_the_higher_total_wins(self, shoe: str, expected: int) -> None:
        now = dealt(shoe, 10)
        now.stand()
        assert won(now) == [expected]

    def test_a_natural_pays_three_to_two(self) -> None:
        """It is paid at once, and the dealer draws no card."""
        now = dealt("Ac9dKh7s", 10)
        assert won(now) == [15]
        assert len(now.dealer) == 2

    def test_half_a_chip_of_a_natural_stays_with_the_bank(self) -> None:
        assert won(dealt("Ac9dKh7s", 5)) == [7]

    def test_a_dealers_natural_ends_the_round(self) -> None:
        """Every bet loses except naturals, which push; no player decides."""
        now = dealt("9cAcAd9dKcKd", 10, 10)
        assert won(now) == [-10, 0]

    def test_a_ten_is_peeked_under_too(self) -> None:
        """The hole card may be an ace."""
        assert won(dealt("9cTd9hAs", 10)) == [-10]

    def test_a_hand_that_busts_loses_even_if_the_dealer_would(self) -> None:
        now = dealt("Tc6dThTs5c", 10)
        now.hit()
        assert won(now) == [-10]
        assert len(now.dealer) == 2

    def test_a_dealer_that_busts_pays_who_stands(self) -> None:
        now = dealt("Tc6d2hTsKc", 10)
        now.stand()
        assert won(now) == [10]

    def test_a_natural_beats_a_dealers_twenty_one(self) -> None:
        """While another hand is open the dealer plays, and that does not change the pay."""
        now = dealt("AcTc5dKcThTd6d", 10, 10)
        assert now.actor == 1
        now.stand()
        assert won(now) == [15, -10]

    @pytest.mark.parametrize(("stands", "expected"), [(True, 10), (False, -10)])
    def test_a_soft_seventeen_is_played_by_the_rule(self, stands: bool, expected: int) -> None:  # noqa: FBT001
        """Standing it loses to 18, hitting it gets 21."""
        now = dealt("TcAd8h6s4c", 10, stands_on_soft_17=stands)
        now.stand()
        assert won(now) == [expected]


class TestDeciding:
    def test_a_hand_of_twenty_one_stands_by_itself(self) -> None:
        now = dealt("5c9d6h9sTc", 10)
        now.hit()
        assert won(now) == [10]

    def test_doubling_takes_one_card_and_twice_the_bet(self) -> None:
        now = dealt("5c9d6h9s9c", 10)
        assert now.can_double
        now.double()
        assert won(now) == [20]

    def test_doubling_needs_two_cards_and_the_chips(self) -> None:
        """It is not offered with three cards or one chip less."""
        now = dealt("2c9d3h9s2d2h", 10)
        now.hit()
        assert not now.can_double
        assert dealt("5c9d6h9s", 10, stack=20).can_double
        assert not dealt("5c9d6h9s", 10, stack=19).can_double

    def test_splitting_makes_two_hands_with_a_card_each(self) -> None:
        """Played one after the other, each with its own bet."""
        now = dealt("8c9d8h9sTc3d", 10)
        assert now.can_split
        now.split()
        first, second = now.boxes[0].hands
        assert (first.cards, second.cards) == (cards_from_text("8cTc"), cards_from_text("8h3d"))
        assert now.active == 0
        now.stand()
        assert now.active == 1
        assert now.can_double

    def test_face_cards_of_different_ranks_count_the_same(self) -> None:
        """A king and a queen can be split, a nine and a ten cannot."""
        assert dealt("Kc9dQh9s", 10).can_split
        assert not dealt("Kc9d9h9s", 10).can_split

    def test_three_hands_are_the_most(self) -> None:
        """A fourth is not offered, though the cards and the chips are there."""
        now = dealt("8c9d8h9s8d8s2c3c", 10)
        now.split()
        assert now.can_split
        now.split()
        hands = [hand.cards for hand in now.boxes[0].hands]
        assert hands == [cards_from_text(cards) for cards in ("8c2c", "8d3c", "8h8s")]
        now.stand()
        now.stand()
        assert now.active == 2
        assert (now.can_double, now.can_split) == (True, False)

    def test_splitting_needs_the_chips(self) -> None:
        """The second bet must be covered."""
        assert not dealt("8c9d8h9s", 10, stack=19).can_split

    def test_split_aces_get_one_card_and_no_natural(self) -> None:
        """21 after a split is paid 1:1."""
        now = dealt("Ac9dAh9sKc5d", 10)
        now.split()
        assert won(now) == [0]  # 21 wins 10 against 18, 16 loses 10

    def test_a_split_twenty_one_against_a_dealers_twenty_one_is_even(self) -> None:
        now = dealt("Kc6dKh5sAc9cTd", 10)
        now.split()
        assert now.active == 1
        now.stand()
        assert won(now) == [-10]  # 21 against 21, 19 against 21
