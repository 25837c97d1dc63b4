"""Offers, actions and results in the two forms of this casino and of A2G."""

import doctest
from typing import Any

import pytest
from casino_gamespec import a2g
from casino_gamespec.a2g import a2g_action, a2g_offer, a2g_result, from_a2g

BETS: list[dict[str, Any]] = [
    {"action_type": "PASS"},
    {"action_type": "PLACE_BET", "bet": "red", "min": 1, "max": 50},
    {"action_type": "PLACE_BET", "bet": "black", "min": 1, "max": 50},
]


def test_the_examples_of_the_module_hold() -> None:
    result = doctest.testmod(a2g)
    assert result.attempted > 0
    assert result.failed == 0


def test_an_action_survives_the_way_there_and_back() -> None:
    action = {"action_type": "PLACE_BET", "bet": "red", "amount": 5}
    assert from_a2g(a2g_action(action), BETS) == action


def test_one_limit_alone_is_a_parameter() -> None:
    assert a2g_offer({"action_type": "DRAW", "max": 3}) == {"type": "DRAW", "max": 3}


@pytest.mark.parametrize(
    ("payload", "action"),
    [
        ({"action": "pass", "note": "hello"}, {"action_type": "PASS"}),
        ({"action": "place-bet", "bet": "red"}, {"action_type": "PLACE_BET", "bet": "red"}),
        ({"action_type": "PASS"}, {"action_type": "PASS"}),
        ({"action": "PASS", "action_type": "PLACE_BET"}, {"action_type": "PASS"}),
        ({"action": "spin", "bet": "red", "amount": 5}, {"action_type": "spin", "amount": 5}),
        ({"action": ["PASS"]}, {"action_type": ["PASS"]}),
        ({"action": "PLACE_BET", "min": 1}, {"action_type": "PLACE_BET"}),
        ({}, {"action_type": ""}),
    ],
)
def test_any_payload_is_read(payload: dict[str, Any], action: dict[str, Any]) -> None:
    assert from_a2g(payload, BETS) == action


def test_a_round_that_nobody_won_has_no_winners() -> None:
    even = {"scores": {"ann": 0, "ben": 0}, "winner": None, "public": {}}
    assert a2g_result({**even, "winners": []}) == {**even, "winners": [], "totalRake": 0}
    assert a2g_result(even)["winners"] == []
