"""A question of Kuhn poker in the generic format."""

from typing import Any

from casino_contracts import GameActionRequest

PASS, BET = {"action_type": "PASS"}, {"action_type": "BET"}


def question(**changes: Any) -> GameActionRequest:
    """Return a question that `support.specifications.specification()` describes."""
    return GameActionRequest.model_validate(
        {
            "tableId": "t1",
            "gameType": "kuhn_poker",
            "specVersion": "1.0.0",
            "requestId": "t1/7:1:1",
            "playerId": "p1",
            "state": {"public": {"pot": 2}, "private": {"card": "K"}},
            "availableActions": [BET, PASS],
            "deadlineMs": 9000,
            **changes,
        }
    )
