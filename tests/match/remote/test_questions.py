"""The question to an agent is that of a table, to the byte, and so is its judgement."""

import random
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from casino_contracts import ActionResponse, GameActionResponse, Rejection, TableConfig
from casino_games.holdem.deal import cards_needed
from casino_games.shuffle import deck_order
from casino_match.domain.plan import Rules
from casino_match.play.hand import deal_hand
from casino_match.players.remote_question import any_game_question, holdem_question
from casino_play.decision import Decision
from casino_play.errors import IllegalAnswer
from casino_play.holdem_fields import HandNames, HoldemFields, SeatedPlayer
from casino_play.question import Question
from casino_table.domain.positions import HandPositions
from casino_table.domain.seat import Seat
from casino_table.domain.table import Table
from casino_table.play.hand import RunningHand

LEFT = timedelta(seconds=7)
NO = Rejection(reason="illegal", message="no", answer={"action": "bet"})
KINDS = ("fold", "check", "call", "bet", "raise", "all-in")


def questions(
    dice: random.Random, *, any_game: bool
) -> Iterator[tuple[Question[Any], Question[Any]]]:
    """Play a random hand at a table and in a match; yield both questions of each decision."""
    count, ante = dice.randint(2, 8), dice.choice((0, 1))
    rules = Rules(small_blind=1, big_blind=2, ante=ante, stack=dice.choice((4, 30, 200)))
    seed = f"seed {dice.random()}"
    config = TableConfig(
        starting_stack=200,
        small_blind=1,
        big_blind=2,
        ante=ante,
        min_buy_in=1,
        max_buy_in=200,
        max_hands=9,
        max_seats=10,
    )
    seats = tuple(
        Seat(number, f"player-{number}", f"P {number}", "http://a/", "act", rules.stack)
        for number in range(count)
    )
    for seat in seats:
        seat.plays_any_game = any_game
    table = Table("main", "casino", config, 1, "texas-holdem", {})
    at_table = RunningHand(table, HandPositions(3, seats, count - 1, 0), seed)
    deck = deck_order(seed, cards_needed(count))
    hand = deal_hand(rules, deck, count)
    players = tuple(SeatedPlayer(seat.player_id, seat.display_name, seat.number) for seat in seats)
    fields = HoldemFields(hand, HandNames("main", "main/3", 3, players))
    while not hand.is_over:
        own: Question[Any] = (
            any_game_question(fields, rules, deck) if any_game else holdem_question(fields)
        )
        yield at_table.question(at_table.next_seat), own
        offered = dice.choice(at_table.game.get_available_actions())
        kind = offered["action_type"]
        if kind in {"bet", "raise"}:
            at_table.act(Decision({"action_type": kind, "amount": offered["min"]}, "ok"))
            hand.raise_to(offered["min"])
        else:
            at_table.act(Decision({"action_type": kind}, "ok"))
            getattr(hand, kind.replace("-", "_"))()


@pytest.mark.parametrize("profile", ["typed", "invoke", "any game"])
def test_questions_and_verdicts_are_those_of_a_table(profile: str) -> None:
    """In hands of 2 to 8 seats, with antes and short stacks, at both attempts."""
    dice = random.Random(profile)
    compared = 0
    for _ in range(25):
        for of_table, own in questions(dice, any_game=profile == "any game"):
            if profile == "invoke":
                posed, here = of_table.for_invoke_profile(), own.for_invoke_profile()
            else:
                posed, here = of_table, own
            assert here.request(1, LEFT, None) == posed.request(1, LEFT, None)
            assert here.request(2, LEFT, NO) == posed.request(2, LEFT, NO)
            assert (here.brief, here.default) == (posed.brief, posed.default)
            for answer in answers(dice, posed):
                assert verdict(here, answer) == verdict(posed, answer)
            compared += 1
    assert compared > 50


def answers(dice: random.Random, question: Question[Any]) -> list[Any]:
    """Return answers of every kind, most of them illegal."""
    amount = dice.randint(0, 210)
    if question.reply is GameActionResponse:
        return [
            GameActionResponse(action={"action_type": kind, "amount": amount}) for kind in KINDS
        ]
    return [ActionResponse.model_validate({"action": kind, "amount": amount}) for kind in KINDS] + [
        ActionResponse.model_validate({"action": kind}) for kind in KINDS
    ]


def verdict(question: Question[Any], answer: Any) -> object:
    """Return the action that an answer is, or the texts of its refusal."""
    try:
        return question.action(answer)
    except IllegalAnswer as error:
        return error.args
