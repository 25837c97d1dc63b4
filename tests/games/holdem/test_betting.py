"""Turns and amounts in cases beyond the rule vectors."""

import pytest
from casino_games import IllegalAction
from casino_games.holdem import Hand
from casino_games.holdem.betting import NOBODY
from games.holdem.dealing import new_hand, play


def limits(hand: Hand) -> tuple[int, int, int, int]:
    """Return the actor, the call and both raise limits."""
    return hand.actor, hand.to_call, hand.min_raise_to, hand.max_raise_to


class TestForcedBets:
    def test_an_ante_can_take_what_a_blind_would_have_been(self) -> None:
        """The big blind has 4 chips left for the blind; the price stays 100."""
        hand = new_hand([1000, 14, 1000], antes=[10, 10, 10])
        assert hand.forced_bets[-1] == (1, "big_blind", 4)
        assert hand.price == 100
        assert limits(hand) == (2, 100, 200, 990)

    def test_an_ante_can_leave_nothing_for_the_blind(self) -> None:
        """The blind of 0 is recorded, and its seat is all-in for the ante."""
        hand = new_hand([1000, 10, 1000], antes=[10, 10, 10])
        assert hand.forced_bets[-1] == (1, "big_blind", 0)
        assert not hand.with_chips & 0b010
        assert hand.live & 0b010

    def test_a_short_big_blind_pays_the_blind_before_its_ante(self) -> None:
        """The example of the rules: 130 chips win 280 against one caller."""
        hand = new_hand(
            [1000, 130],
            ["AsAh", "2c7d"],
            "KsKdQc9h4d",
            antes=[100, 0],
            ante_is_dead=True,
        )
        assert hand.forced_bets == [(1, "small_blind", 50), (0, "big_blind", 100), (0, "ante", 100)]
        short = new_hand(
            [130, 1000],
            ["AsAh", "2c7d"],
            "KsKdQc9h4d",
            antes=[100, 0],
            ante_is_dead=True,
        )
        assert short.forced_bets == [(1, "small_blind", 50), (0, "big_blind", 100), (0, "ante", 30)]
        play(short, "call")
        assert short.stacks == [230, 900]


class TestTurns:
    def test_a_small_blind_above_every_other_bet_is_not_asked(self) -> None:
        """The big blind is all-in for 30 and the button folds: the 50 are more than enough."""
        hand = play(new_hand([1000, 30, 1000]), "fold")
        assert hand.is_over
        assert hand.uncalled == (0, 20)

    def test_a_small_blind_below_a_call_is_asked_though_the_big_blind_is_short(self) -> None:
        """The call of 100 is all-in, the big blind has 30: 50 more, or the pot is lost."""
        hand = play(new_hand([1000, 30, 100, 1000]), "call", "fold")
        assert limits(hand) == (0, 50, 0, 0)

    def test_a_smaller_all_in_call_does_not_hide_a_larger_one(self) -> None:
        """Behind a big blind of 30: calls of 60 and 45, both all-in, and 50 are not enough."""
        hand = play(new_hand([1000, 30, 60, 45, 1000]), "call", "call", "fold")
        assert limits(hand) == (0, 50, 0, 0)


class TestRaises:
    @pytest.mark.parametrize("small_blinds_stack", [80, 100])
    def test_a_raise_nobody_could_answer_is_not_offered_behind_a_short_blind_either(
        self, small_blinds_stack: int
    ) -> None:
        """The small blind cannot go beyond the price of 100: nothing above can be answered."""
        hand = new_hand([small_blinds_stack, 30, 1000, 1000])
        play(hand, "fold")
        assert limits(hand) == (3, 100, 0, 0)

    def test_an_opponent_with_one_chip_more_can_answer(self) -> None:
        hand = new_hand([101, 30, 1000, 1000])
        play(hand, "fold")
        assert limits(hand) == (3, 100, 200, 1000)

    def test_a_stack_that_just_makes_the_call_does_not_raise(self) -> None:
        """An all-in for exactly the price asks nobody anything again."""
        hand = play(new_hand([1000, 1000, 1000, 100]), "call")
        assert limits(hand) == (3, 100, 0, 0)
        play(hand, "all-in", "call", "call")
        assert hand.aggressor == NOBODY
        assert hand.street == 1

    def test_the_last_aggressor_is_remembered_for_the_street_only(self) -> None:
        """A call or a new street does not make one."""
        hand = play(new_hand([1000] * 3), "call", "raise_to 300", "call", "call")
        assert hand.aggressor == NOBODY
        play(hand, "call", "raise_to 100")
        assert hand.aggressor == 1


class TestRefusals:
    def test_a_short_all_in_is_the_only_raise_of_a_short_stack(self) -> None:
        hand = play(new_hand([1000, 1000, 1000, 150]), "call")
        for amount in (120, 149):
            with pytest.raises(IllegalAction, match="the only raise left, to 150"):
                hand.raise_to(amount)
        hand.raise_to(150)

    def test_an_all_in_that_would_raise_needs_an_open_raise(self) -> None:
        hand = play(
            new_hand([1000, 1000, 1000, 150, 1000]), "call", "all-in", "fold", "fold", "call"
        )
        with pytest.raises(IllegalAction, match="no raise is open: call 50 or fold"):
            hand.all_in()

    def test_nobody_without_chips_is_all_in_after_the_end(self) -> None:
        """The last seat is busted, and nobody's turn is not its turn."""
        hand = play(new_hand([1000] * 2, ["AsAh", "KsKh"], "2c3d7h8c9d"), "all-in", "call")
        assert hand.stacks == [2000, 0]
        with pytest.raises(IllegalAction, match="the hand is over"):
            hand.all_in()
