"""Examples of what a player reads of its own play."""

from typing import Any

from casino_contracts import OwnHandDetail, OwnHandPage, WireModel

_HAND: dict[str, Any] = {
    "handNumber": 7,
    "epoch": 1,
    "timestamp": "2026-11-20T19:43:00.123Z",
    "message": "Hand 7: Bob wins 40 with a Pair",
    "position": "BTN",
    "net": -20,
    "holeCards": [{"rank": "A", "suit": "hearts"}, {"rank": "K", "suit": "hearts"}],
    "communityCards": [],
    "decisions": 1,
    "faults": 1,
    "slowestMs": 35,
}
_PLAYER = {"roomId": "green", "playerId": "player-1"}

PLAYER_EXAMPLES: dict[type[WireModel], dict[str, Any]] = {
    OwnHandPage: {**_PLAYER, "hands": [_HAND], "next": "1.7"},
    OwnHandDetail: {
        **_PLAYER,
        "hand": _HAND,
        "decisions": [
            {
                "bettingRound": "preflop",
                "action": "fold",
                "outcome": "illegal",
                "latencyMs": 35,
                "reason": "raise to 14 is below the smallest, to 37",
                "answer": {"action": "fold"},
                "question": {"requestId": "green/7:1:1", "toCall": 8, "legalActions": ["fold"]},
            }
        ],
    },
}
