"""Answers to a question of the past, judged by what it allowed."""

from typing import Any

import pytest
from casino.ask.judgement import objection
from casino_contracts import ActionRequest, ActionResponse, GameActionRequest, GameActionResponse

LEGAL = "; legal are fold, call, raise (amount 37 to 200), all-in"


def question(**more: Any) -> ActionRequest:
    """Return a question that has to answer a bet of 23."""
    return ActionRequest.model_validate(
        {
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
    )


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"action": "call"}, None),
        ({"action": "all-in", "amount": 3}, None),
        ({"action": "raise", "amount": 37}, None),
        ({"action": "raise", "amount": 200}, None),
        ({"action": "check"}, "check is not possible now" + LEGAL),
        ({"action": "raise"}, "raise needs amount, a total for this betting round" + LEGAL),
        (
            {"action": "raise", "amount": 14},
            "raise to 14 is below the smallest, to 37 (amount is a total: did you mean 37?)"
            + LEGAL,
        ),
        ({"action": "raise", "amount": 1}, "raise to 1 is below the smallest, to 37" + LEGAL),
        ({"action": "raise", "amount": 201}, "raise to 201 is above the largest, to 200" + LEGAL),
    ],
)
def test_an_answer_is_judged_by_the_question(answer: dict[str, Any], reason: str | None) -> None:
    """In the table's own words."""
    assert objection(question(), ActionResponse.model_validate(answer)) == reason


def test_where_no_raise_is_legal_none_is_offered() -> None:
    """All-in only."""
    short = question(legalActions=["fold", "all-in"], minRaiseTo=None, maxRaiseTo=None)
    reason = objection(short, ActionResponse(action="call"))
    assert reason == "call is not possible now; legal are fold, all-in"


def test_in_another_game_the_type_of_the_action_counts() -> None:
    """The rest is known to the game alone."""
    hit = GameActionRequest.model_validate(
        {
            "tableId": "t1",
            "gameType": "blackjack",
            "specVersion": "1.0.0",
            "requestId": "t1/1:1:1",
            "playerId": "p1",
            "state": {},
            "availableActions": [{"action_type": "HIT"}, {"action_type": "STAND"}],
            "deadlineMs": 100,
        }
    )
    assert objection(hit, GameActionResponse(action={"action_type": "HIT"})) is None
    reason = objection(hit, GameActionResponse(action={"action_type": "SPLIT"}))
    assert reason == "SPLIT is not possible now; legal are HIT, STAND"
