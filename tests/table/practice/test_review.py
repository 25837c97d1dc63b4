"""Answers to a question of the past, judged by what it allowed."""

import json
from typing import Any

import pytest
from casino_table.practice.practice_judge import PracticeJudge

LEGAL = "; legal are fold, call, raise (amount 37 to 200), all-in"


def question(**more: Any) -> dict[str, Any]:
    """Return a question that has to answer a bet of 23."""
    return {
        "tableId": "t1",
        "bettingRound": "preflop",
        "communityCards": [],
        "holeCards": [{"rank": "A", "suit": "spades"}, {"rank": "K", "suit": "hearts"}],
        "pot": 30,
        "minimumRaise": 14,
        "currentBet": 23,
        "playerStack": 200,
        "legalActions": ["fold", "call", "raise", "all-in"],
        "minRaiseTo": 37,
        "maxRaiseTo": 200,
        **more,
    }


def reviewed(asked: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    order = {"do": "review", "question": asked, "answer": answer}
    return PracticeJudge().reply(json.dumps(order).encode())


@pytest.mark.parametrize(
    ("answer", "action"),
    [
        ({"action": "call"}, {"action_type": "call"}),
        ({"action": "all-in", "amount": 3}, {"action_type": "all-in"}),
        ({"action": "raise", "amount": 37}, {"action_type": "raise", "amount": 37}),
        ({"action": "raise", "amount": 200}, {"action_type": "raise", "amount": 200}),
    ],
)
def test_an_answer_within_the_question_is_played(
    answer: dict[str, Any], action: dict[str, Any]
) -> None:
    """As the action of the game."""
    assert reviewed(question(), answer) == {"action": action}


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"action": "check"}, "check is not possible now"),
        ({"action": "raise"}, "raise needs amount, a total for this betting round"),
        (
            {"action": "raise", "amount": 14},
            "raise to 14 is below the smallest, to 37 (amount is a total: did you mean 37?)",
        ),
        ({"action": "raise", "amount": 1}, "raise to 1 is below the smallest, to 37"),
        ({"action": "raise", "amount": 201}, "raise to 201 is above the largest, to 200"),
    ],
)
def test_an_answer_beyond_the_question_has_the_reason(answer: dict[str, Any], reason: str) -> None:
    """In the words of `rejected`, with the answer."""
    judged = reviewed(question(), answer)
    assert judged["illegal"] == reason + LEGAL
    assert judged["answer"]["action"] == answer["action"]


def test_fractions_of_chips_are_judged_in_the_units_of_question_and_answer() -> None:
    half = question(currentBet=0.5, minRaiseTo=1, maxRaiseTo=99.5)
    action = {"action_type": "raise", "amount": 125}
    assert reviewed(half, {"action": "raise", "amount": 1.25}) == {"action": action}
    assert reviewed(half, {"action": "raise", "amount": 0.5})["illegal"] == (
        "raise to 0.5 is below the smallest, to 1 (amount is a total: did you mean 1?)"
        "; legal are fold, call, raise (amount 1 to 99.5), all-in"
    )


def test_in_another_game_the_whole_action_is_judged() -> None:
    """Its type and its amount, as the table's game does."""
    asked = {
        "tableId": "t1",
        "gameType": "blackjack",
        "specVersion": "1.0.0",
        "requestId": "t1/1:1:1",
        "playerId": "p1",
        "state": {},
        "availableActions": [
            {"action_type": "STAND"},
            {"action_type": "BET", "min": 2, "max": 20},
        ],
        "deadlineMs": 100,
    }
    bet = {"action_type": "BET", "amount": 5}
    assert reviewed(asked, {"action": bet}) == {"action": bet}
    for refused in ({"action_type": "SPLIT"}, {"action_type": "BET", "amount": 21}):
        judged = reviewed(asked, {"action": refused})
        assert "STAND" in judged["illegal"]
        assert judged["answer"] == {"action": refused}


def test_what_is_no_question_is_named() -> None:
    assert "bettingRound" in reviewed({}, {"action": "fold"})["invalid"]
