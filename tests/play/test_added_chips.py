"""Amounts of players of the invoke profile: what they add, to what the game knows as totals."""

import random
from datetime import timedelta
from typing import Any

import pytest
from casino_contracts import ActionKind, ActionRequest, ActionResponse
from casino_games import ArenaConfig, ArenaPlayer
from casino_games.holdem import HoldemGame
from casino_play.errors import IllegalAnswer
from casino_play.holdem_question import AddedChips, HoldemQuestion
from casino_table.domain.admission import seat_for
from casino_table.domain.table import Table
from casino_table.play.holdem_presenter import HoldemPresenter
from hypothesis import given
from hypothesis import strategies as st
from support.table.table_side import config, seating

FOLD, CHECK, CALL, ALL_IN = ({"action_type": kind} for kind in ("fold", "check", "call", "all-in"))


def offers(*actions: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {action["action_type"]: action for action in actions}


def between(kind: str, least: int, most: int) -> dict[str, Any]:
    """Return a bet or raise that is offered, in totals."""
    return {"action_type": kind, "min": least, "max": most}


def to(kind: str, total: int) -> dict[str, Any]:
    return {"action_type": kind, "amount": total}


SMALL_BLIND = AddedChips(1, 1, 199, offers(FOLD, CALL, between("raise", 4, 200), ALL_IN))
BIG_BLIND = AddedChips(2, 0, 198, offers(CHECK, between("raise", 4, 200), ALL_IN))
FLOP = AddedChips(0, 0, 100, offers(CHECK, between("bet", 2, 100), ALL_IN))
SHORT = AddedChips(0, 30, 30, offers(FOLD, CALL))
"""The call takes the whole stack."""
CLOSED = AddedChips(10, 5, 90, offers(FOLD, CALL))
"""A raise that was no full one does not open the betting again."""
NEARLY = AddedChips(0, 20, 25, offers(FOLD, CALL, ALL_IN))
"""The stack covers the call, but no full raise."""


@pytest.mark.parametrize(
    ("faced", "kind", "added", "action"),
    [
        (SMALL_BLIND, "raise", 3, to("raise", 4)),
        (SMALL_BLIND, "bet", 9, to("raise", 10)),
        (SMALL_BLIND, "raise", 1, CALL),
        (SMALL_BLIND, "raise", 199, ALL_IN),
        (SMALL_BLIND, "raise", 5_000, ALL_IN),
        (SMALL_BLIND, "call", None, CALL),
        (SMALL_BLIND, "fold", None, FOLD),
        (SMALL_BLIND, "all-in", None, ALL_IN),
        (BIG_BLIND, "bet", 2, to("raise", 4)),
        (BIG_BLIND, "raise", 8, to("raise", 10)),
        (BIG_BLIND, "bet", 0, CHECK),
        (BIG_BLIND, "call", None, CHECK),
        (BIG_BLIND, "check", None, CHECK),
        (FLOP, "bet", 10, to("bet", 10)),
        (FLOP, "raise", 10, to("bet", 10)),
        (FLOP, "bet", 100, ALL_IN),
        (SHORT, "raise", 30, CALL),
        (SHORT, "call", None, CALL),
        (CLOSED, "raise", 5, CALL),
        (NEARLY, "raise", 25, ALL_IN),
        (NEARLY, "bet", 20, CALL),
    ],
)
def test_an_answer_is_performed_as_it_is_meant(
    faced: AddedChips, kind: ActionKind, added: int | None, action: dict[str, Any]
) -> None:
    """With exactly the chips that the player adds, at most its stack."""
    assert faced.action(kind, added) == action


@pytest.mark.parametrize(
    ("faced", "kind", "added", "reason"),
    [
        (SMALL_BLIND, "check", None, "check is not possible now"),
        (SMALL_BLIND, "raise", None, "raise needs amount, the chips that you add"),
        (SMALL_BLIND, "raise", 0, "fewer chips than the smallest"),
        (SMALL_BLIND, "raise", 2, "fewer chips than the smallest"),
        (BIG_BLIND, "fold", None, "fold is not possible now"),
        (BIG_BLIND, "bet", 1, "fewer chips than the smallest"),
        (FLOP, "bet", 1, "fewer chips than the smallest"),
        (SHORT, "all-in", None, "all-in is not possible now"),
        (CLOSED, "raise", 50, "raise is not possible now"),
        (CLOSED, "all-in", None, "all-in is not possible now"),
        (NEARLY, "raise", 22, "raise is not possible now"),
    ],
)
def test_nobody_adds_other_chips_than_they_said(
    faced: AddedChips, kind: ActionKind, added: int | None, reason: str
) -> None:
    """What cannot be performed as said is refused."""
    with pytest.raises(ValueError, match=reason):
        faced.action(kind, added)


@pytest.mark.parametrize(
    ("faced", "kinds"),
    [
        (SMALL_BLIND, ("fold", "call", "raise", "all-in")),
        (BIG_BLIND, ("check", "bet", "all-in")),
        (FLOP, ("check", "bet", "all-in")),
    ],
)
def test_who_may_check_may_bet(faced: AddedChips, kinds: tuple[str, ...]) -> None:
    """As the original names it, whose players look for `bet` where they may check."""
    assert faced.kinds == kinds


class Hand:
    """A hand of three at a table with these stacks; every question is asked in added chips."""

    def __init__(self, seed: int, unit: str = "1") -> None:
        self.dice = random.Random(seed)
        scale = float(unit)
        amounts = {"smallBlind": 1 * scale, "bigBlind": 2 * scale, "minBuyIn": 5 * scale}
        stack = {"startingStack": 200 * scale, "maxBuyIn": 200 * scale}
        self.table = Table("t1", "Casino", config(**amounts, **stack), 1, "texas-holdem", {})
        for number in range(3):
            taking = seating(number, f"http://p{number}", startingStack=200 * scale)
            self.table.take_seat(seat_for(self.table, taking)[0])
        self.deal = self.table.next_deal()
        stacks = [self.dice.randint(5, 200) for _ in range(3)]
        settings = {"small_blind": 1, "big_blind": 2, "stacks": stacks, "button": self.deal.button}
        players = tuple(ArenaPlayer(seat.player_id) for seat in self.deal.seats)
        self.game = HoldemGame(ArenaConfig(players, game_config=settings))
        self.game.reset(str(seed))

    def question(self) -> HoldemQuestion:
        seat = self.deal.seat_of(self.game.get_current_player())
        question = HoldemPresenter(self.table, self.deal, self.game).question(seat)
        assert isinstance(question, HoldemQuestion)
        return question.for_invoke_profile()

    def me(self) -> dict[str, Any]:
        player_id = self.game.get_current_player()
        players = self.game.get_public_state()["players"]
        return dict(next(one for one in players if one["player_id"] == player_id))


def asked_of(question: HoldemQuestion) -> ActionRequest:
    return ActionRequest.model_validate_json(question.request(1, timedelta(seconds=9), None))


KINDS: list[ActionKind] = ["fold", "check", "call", "bet", "raise", "all-in"]


@given(st.integers(0, 2**32))
def test_every_answer_is_a_legal_action_or_refused_with_a_reason(seed: int) -> None:
    """In whole hands: the game takes what is returned, with the chips that were said."""
    hand = Hand(seed)
    while not hand.game.is_over():
        question, me = hand.question(), hand.me()
        asked = asked_of(question)
        kind = hand.dice.choice(KINDS)
        least = asked.current_bet + asked.minimum_raise
        amount = hand.dice.choice([None, 0, asked.current_bet, least, hand.dice.randint(0, 250)])
        try:
            action = question.action(ActionResponse(action=kind, amount=amount))
        except IllegalAnswer as refused:
            message, answer = refused.args
            assert "; legal are " in message
            assert answer == ActionResponse(action=kind, amount=amount).model_dump()
            action = question.default
        else:
            if "amount" in action:
                assert action["amount"] - me["bet"] == amount
            elif kind in {"bet", "raise"}:
                assert action["action_type"] in {"check", "call", "all-in"}
                assert amount is not None
                assert min(amount, me["stack"]) == (
                    me["stack"] if action["action_type"] == "all-in" else asked.current_bet
                )
        hand.game.step(action)


@given(st.integers(0, 2**32))
def test_what_is_asked_has_the_amounts_of_the_original(seed: int) -> None:
    """`currentBet` is what is to call, and with `minimumRaise` more it is the smallest raise."""
    hand = Hand(seed, unit="0.01")
    while not hand.game.is_over():
        question = hand.question()
        asked = asked_of(question)
        assert asked.current_bet == asked.to_call
        assert asked.current_bet <= asked.player_stack
        assert ("check" in asked.legal_actions) == (asked.current_bet == 0)
        for kind in ("bet", "raise"):
            if kind not in asked.legal_actions:
                continue
            assert (kind == "bet") == (asked.current_bet == 0)
            amount = round(asked.current_bet + asked.minimum_raise, 2)
            action = question.action(ActionResponse(action=kind, amount=amount))
            assert action["action_type"] in {"bet", "raise", "all-in"}
            with pytest.raises(IllegalAnswer, match=r"legal are .*amount [\d.]+ to [\d.]+"):
                question.action(ActionResponse(action=kind, amount=round(amount - 0.01, 2)))
        kinds = [kind for kind in asked.legal_actions if kind not in {"bet", "raise", "fold"}]
        hand.game.step(question.action(ActionResponse(action=hand.dice.choice(kinds))))


def test_an_amount_below_the_unit_is_refused() -> None:
    with pytest.raises(IllegalAnswer, match="no multiple of 1, this table's unit"):
        Hand(1).question().action(ActionResponse(action="raise", amount=10.5))
