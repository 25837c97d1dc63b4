"""Examples of what players have won or lost: standings, and the course of the nets."""

from typing import Any

from casino_contracts import NetSeries, Standings

RESULTS: dict[Any, dict[str, Any]] = {
    NetSeries: {
        "roomId": "green",
        "hands": 412,
        "firstHand": 1,
        "handsPerStep": 4,
        "lastHands": [4, 8],
        "players": [
            {
                "playerId": "player-1",
                "displayName": "Ada",
                "net": 220,
                "nets": [-3, 12, 12, 41.5],
            },
            {"playerId": "player-2", "displayName": "Bob", "net": -220, "nets": [3, -12]},
        ],
    },
    Standings: {
        "roomId": "green",
        "hands": 412,
        "unit": "bb",
        "players": [
            {
                "playerId": "player-1",
                "displayName": "Ada",
                "hands": 412,
                "net": 220,
                "bought": 200,
                "stack": 420,
                "bbPer100": 26.7,
                "halfInterval95": 61.35,
                "faults": {},
                "decisions": 730,
                "statistics": {
                    "vpip": {"count": 124, "of": 398},
                    "pfr": {"count": 81, "of": 391},
                    "threeBet": {"count": 9, "of": 102},
                    "cBet": {"count": 31, "of": 44},
                    "aggression": {"count": 96, "of": 41},
                    "wentToShowdown": {"count": 37, "of": 118},
                    "wonAtShowdown": {"count": 20, "of": 37},
                },
                "latency": {"decisions": 730, "p50": 42, "p95": 310},
            },
            {
                "playerId": "player-2",
                "displayName": "Bob",
                "hands": 412,
                "net": -220,
                "bought": 400,
                "stack": 180,
                "bbPer100": -26.7,
                "halfInterval95": 61.35,
                "faults": {"illegal": 3, "timeout": 1},
                "decisions": 705,
            },
        ],
    },
}
