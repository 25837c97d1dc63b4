"""Hold'em's actions on the wire: every offer is accepted, and nothing else."""

from typing import Any

import pytest
from casino_games import IllegalAction
from casino_games.holdem.game import legal_actions, perform
from games.holdem.dealing import new_hand, play

FOLD, CHECK, CALL = {"action_type": "fold"}, {"action_type": "check"}, {"action_type": "call"}
ALL_IN = {"action_type": "all-in"}


class TestOffers:
    def test_with_something_to_call_fold_call_raise_and_all_in(self) -> None:
        """The raise says its limits as totals for the round."""
        assert legal_actions(new_hand([1000] * 3)) == [
            FOLD,
            CALL,
            {"action_type": "raise", "min": 200, "max": 1000},
            ALL_IN,
        ]

    def test_the_big_blind_may_check_or_raise(self) -> None:
        """Before the flop there is a bet, the blind, so it is a raise."""
        assert legal_actions(play(new_hand([1000] * 2), "call")) == [
            CHECK,
            {"action_type": "raise", "min": 200, "max": 1000},
            ALL_IN,
        ]

    def test_with_nothing_bet_on_the_street_it_is_a_bet(self) -> None:
        """Fold is not offered, because checking is free."""
        assert legal_actions(play(new_hand([1000] * 2), "call", "call")) == [
            CHECK,
            {"action_type": "bet", "min": 100, "max": 900},
            ALL_IN,
        ]

    def test_a_stack_that_just_makes_the_smallest_raise_may_raise(self) -> None:
        assert legal_actions(new_hand([1000, 1000, 200])) == [
            FOLD,
            CALL,
            {"action_type": "raise", "min": 200, "max": 200},
            ALL_IN,
        ]

    def test_a_stack_below_the_smallest_raise_may_only_go_all_in(self) -> None:
        """A short raise is an all-in and not a raise."""
        assert legal_actions(new_hand([1000, 1000, 199])) == [FOLD, CALL, ALL_IN]

    def test_a_stack_below_one_bet_may_only_go_all_in(self) -> None:
        hand = play(new_hand([1000, 1000, 140]), *["call"] * 5)
        assert legal_actions(hand) == [CHECK, ALL_IN]

    @pytest.mark.parametrize("stack", [60, 100])
    def test_a_stack_that_only_makes_the_call_may_call_or_go_all_in(self, stack: int) -> None:
        """Both put in the same, for less or exactly the price."""
        assert legal_actions(new_hand([1000, 1000, stack])) == [FOLD, CALL, ALL_IN]

    def test_betting_that_is_not_open_leaves_fold_and_call(self) -> None:
        """The limper may not go all-in over a short all-in."""
        hand = new_hand([1000, 1000, 1000, 150, 1000])
        play(hand, "call", "all-in", "fold", "fold", "call")
        assert legal_actions(hand) == [FOLD, CALL]

    def test_a_raise_that_nobody_could_answer_is_not_offered(self) -> None:
        assert legal_actions(play(new_hand([1000, 500]), "all-in")) == [FOLD, CALL]

    def test_after_the_end_nothing_is_offered(self) -> None:
        assert legal_actions(play(new_hand([1000] * 2), "fold")) == []


class TestAnswers:
    def test_an_offer_handed_back_with_an_amount_is_taken(self) -> None:
        hand = new_hand([1000] * 3)
        offer = next(offer for offer in legal_actions(hand) if "min" in offer)
        perform(hand, {**offer, "amount": offer["min"], "comment": "mine"})
        assert hand.actions[-1][:4] == (2, 0, "raise", 200)

    def test_an_amount_beside_a_word_without_one_is_ignored(self) -> None:
        hand = new_hand([1000] * 3)
        perform(hand, {"action_type": "call", "amount": 5})
        assert hand.actions[-1][:4] == (2, 0, "call", 100)

    @pytest.mark.parametrize(
        ("stacks", "before", "seat_and_total"),
        [
            ([1000, 1000, 60], [], (2, 60)),
            ([1000, 1000, 150], [], (2, 150)),
            ([1000, 1000, 1000], [], (2, 1000)),
            ([1000, 1000, 1000], ["call"] * 3, (0, 900)),
        ],
    )
    def test_all_in_is_whatever_the_stack_makes_it(
        self, stacks: list[int], before: list[str], seat_and_total: tuple[int, int]
    ) -> None:
        """A short call, short raise, raise or bet is recorded as all-in."""
        hand = play(new_hand(stacks), *before)
        perform(hand, ALL_IN)
        seat, _, kind, total, *_ = hand.actions[len(before)]
        assert kind == "all-in"
        assert (seat, total) == seat_and_total


class TestRefusals:
    @pytest.mark.parametrize(
        ("before", "action", "reason"),
        [
            ([], CHECK, "a check is not possible: call 100 or fold"),
            (["call"] * 3, FOLD, "nothing to call: check instead of folding"),
            (["call"] * 3, CALL, "nothing to call: check instead"),
            ([], {"action_type": "bet", "amount": 300}, "with 100 bet .* a bet is not possible"),
            (["call"] * 3, {"action_type": "raise", "amount": 300}, "with 0 bet .*: bet instead"),
            ([], {"action_type": "raise", "amount": 150}, "below the smallest raise, to 200"),
            ([], {"action_type": "raise", "amount": 1001}, "more than your stack allows, to 1000"),
            ([], {"action_type": "raise"}, "a raise needs an amount"),
            ([], {"action_type": "raise", "amount": None}, "a raise needs an amount"),
            ([], {"action_type": "raise", "amount": True}, "a raise needs an amount"),
            ([], {"action_type": "raise", "amount": 300.0}, "a raise needs an amount"),
            ([], {"action_type": "raise", "amount": "300"}, "a raise needs an amount"),
            ([], {"action_type": "raise", "amount": -300}, "a raise needs an amount"),
            ([], {"action_type": "raise", "amount": 10**5000}, "a raise needs an amount"),
            (["call"] * 3, {"action_type": "bet"}, "a bet needs an amount"),
            (["call"] * 3, {"action_type": "bet", "amount": 99}, "smallest bet, to 100"),
            (["call"] * 3, {"action_type": "bet", "amount": 901}, "your stack allows, to 900"),
            (["all-in", "fold"], {"action_type": "raise"}, "no raise is open"),
            ([], {"action_type": "RAISE"}, "now one of: fold, call, raise, all-in"),
            ([], {"action_type": ["call"]}, "now one of: fold, call, raise, all-in"),
            ([], {}, "now one of: fold, call, raise, all-in"),
            ([], None, "now one of: fold, call, raise, all-in"),
            ([], "call", "now one of: fold, call, raise, all-in"),
            (["fold", "fold"], {"action_type": "shout"}, "none, the hand is over"),
            (["fold", "fold"], {"action_type": "raise", "amount": 300}, "the hand is over"),
            (["fold", "fold"], CHECK, "the hand is over"),
        ],
    )
    def test_what_is_not_legal_is_refused(
        self, before: list[str], action: Any, reason: str
    ) -> None:
        """The message lists the legal actions, and the record is unchanged."""
        hand = play(new_hand([1000] * 3), *before)
        decisions = len(hand.actions)
        with pytest.raises(IllegalAction, match=reason):
            perform(hand, action)
        assert len(hand.actions) == decisions

    def test_a_raise_that_the_stack_cannot_make_points_to_all_in(self) -> None:
        with pytest.raises(IllegalAction, match="smallest raise, to 200: go all-in instead"):
            perform(new_hand([1000, 1000, 150]), {"action_type": "raise", "amount": 150})
