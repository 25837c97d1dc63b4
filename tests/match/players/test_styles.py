"""Styles get the request that a table would send, and decide as they do there."""

import random
from datetime import timedelta

import pytest
from casino_contracts import ActionRequest
from casino_match.domain.decks import deck_of
from casino_match.domain.plan import Rules
from casino_match.errors import PlayerFailed
from casino_match.play.hand import apply, deal_hand, names_of
from casino_match.players.local import local_players
from casino_match.players.style_requests import StyleRequests
from casino_play.holdem_fields import HoldemFields
from support.match.plans import plan_of


def test_a_request_is_the_validated_one() -> None:
    """Field by field, also in which fields are set, at every decision of random hands."""
    dice = random.Random(2)
    requests = 0
    for deck in range(60):
        seats = dice.randint(2, 10)
        plan = plan_of(["style:caller"] * seats)
        rules = Rules(stack=dice.choice((5, 30, 200)), ante=dice.choice((0, 1)))
        hand = deal_hand(rules, deck_of("a", deck, seats), seats)
        question = HoldemFields(hand, names_of(plan, deck))
        made = StyleRequests(question, 9_000)
        while not hand.is_over:
            if dice.random() < 3 / 4:
                request = made.request()
                expected = ActionRequest.model_validate(question.values(9_000))
                assert request == expected
                assert request.model_fields_set == expected.model_fields_set
                assert request.wire() == expected.wire()
                assert [view.model_fields_set for view in request.players or ()] == [
                    view.model_fields_set for view in expected.players or ()
                ]
                requests += 1
            if hand.max_raise_to and dice.random() < 1 / 4:
                hand.raise_to(dice.choice((hand.min_raise_to, hand.max_raise_to)))
            elif hand.to_call and dice.random() < 1 / 6:
                hand.fold()
            else:
                apply(hand, "call" if hand.to_call else "check", 0)
    assert requests > 300


def test_an_unknown_style_is_named() -> None:
    plan = plan_of(["style:caller", "style:wild"])
    with pytest.raises(PlayerFailed, match="p1: there is no style wild; there are caller, equity"):
        local_players(plan)


def test_the_clock_of_the_plan_is_the_deadline() -> None:
    plan = plan_of(["style:caller"] * 2, rules={"clock": timedelta(seconds=2.5)})
    hand = deal_hand(plan.rules, deck_of("a", 0, 2), 2)
    assert StyleRequests(HoldemFields(hand, names_of(plan, 0)), 2_500).request().deadline_ms == 2500
