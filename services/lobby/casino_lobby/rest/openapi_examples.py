"""Examples of the OpenAPI document, valid by the contracts: of all but matches and leagues."""

import json
from typing import Any

from casino_contracts import (
    CreateRoomInput,
    EventPage,
    GameList,
    HandDetail,
    HandPage,
    HandRecord,
    LobbyInfo,
    NetSeries,
    NoInput,
    OwnHandDetail,
    OwnHandPage,
    PlayerFaults,
    RegisteredPlayer,
    RegisterPlayerInput,
    RoomList,
    RoomSnapshot,
    Standings,
    StartRoomInput,
    TableList,
    TableSummary,
    WireModel,
)

from casino_lobby.problem_types import ProblemType
from casino_lobby.rest.match_examples import MATCHES

HISTORY = """[1]
variant = "NT"
ante_trimming_status = true
antes = [0, 0]
blinds_or_straddles = [1, 2]
min_bet = 2
starting_stacks = [200, 200]
actions = [
  "d dh p1 ????",
  "d dh p2 ????",
  "p2 cbr 6",
  "p1 f",
]
players = ["Ada", "Bob"]
finishing_stacks = [198, 202]
winnings = [0, 4]
seats = [1, 2]
table = "green"
hand = 1
time = 19:43:00
time_zone = "UTC"
day = 20
month = 11
year = 2026
_hand_id = "green/1"
_players = ["player-1", "player-2"]

"""


_OWN_HAND: dict[str, Any] = {
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
_OWN_PLAYER = {"roomId": "green", "playerId": "player-1"}

PLAYER_EXAMPLES: dict[type[WireModel], dict[str, Any]] = {
    OwnHandPage: {**_OWN_PLAYER, "hands": [_OWN_HAND], "next": "1.7"},
    OwnHandDetail: {
        **_OWN_PLAYER,
        "hand": _OWN_HAND,
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


Example = dict[str, Any]

_TABLE = "http://127.0.0.1:4500/.well-known/agent-card.json"
_PLAYER = "http://127.0.0.1:4101/.well-known/agent-card.json"
_TIME = "2026-11-20T19:43:00.123Z"
_CONFIG: Example = {
    "startingStack": 200,
    "smallBlind": 1,
    "bigBlind": 2,
    "minBuyIn": 40,
    "maxBuyIn": 400,
    "maxHands": 100,
    "maxSeats": 2,
}
_FULL_CONFIG: Example = {
    **_CONFIG,
    "actionTimeoutMs": 10_000,
    "maxTimeouts": 3,
    "ante": 0,
    "rebuy": "none",
}
_ADA: Example = {"playerId": "player-1", "seatNumber": 0, "displayName": "Ada", "stack": 220}
_BOB: Example = {"playerId": "player-2", "seatNumber": 1, "displayName": "Bob", "stack": 180}
_ROOM: Example = {"roomId": "green", "tableId": "green", "gameType": "texas-holdem"}
_BOARD = [
    {"rank": "T", "suit": "diamonds"},
    {"rank": "9", "suit": "clubs"},
    {"rank": "4", "suit": "spades"},
]
_RESULT: Example = {
    "communityCards": _BOARD,
    "pots": [{"amount": 40, "winners": [{"playerId": "player-1", "amount": 40}]}],
    "shown": [],
    "stacks": [
        {"playerId": "player-1", "stack": 220},
        {"playerId": "player-2", "stack": 180},
    ],
}
_EVENT: Example = {
    "tableId": "green",
    "eventType": "hand_completed",
    "message": "Hand 7: Ada wins 40.",
    "timestamp": _TIME,
    "payload": {"handNumber": 7, **_RESULT},
    "sequence": 93,
    "epoch": 1,
    "handId": "green/7",
}
_HAND: Example = {
    "handId": "green/7",
    "handNumber": 7,
    "epoch": 1,
    "firstSequence": 80,
    "lastSequence": 93,
    "timestamp": _TIME,
    "message": "Hand 7: Ada wins 40.",
    **_RESULT,
    "score": 20,
    "kinds": [],
}
_SUMMARY: Example = {
    "tableId": "green",
    "status": "running",
    "handCount": 7,
    "players": [_ADA, _BOB],
    "message": "Hand 7: Ada wins 40.",
}

_MESSAGES: dict[type[WireModel], Example] = {
    CreateRoomInput: {"roomId": "green", "config": _CONFIG},
    NoInput: {},
    RegisterPlayerInput: {"agentCardUrl": _PLAYER, "preferredSeat": 1},
    StartRoomInput: {"overrides": {"maxHands": 20}},
    RoomList: {
        "rooms": [
            {
                **_ROOM,
                "tableAgentCardUrl": _TABLE,
                "tableBaseUrl": "http://127.0.0.1:4500",
                "status": "running",
                "handCount": 7,
                "playerCount": 2,
                "message": "Hand 7: Ada wins 40.",
            }
        ],
        "next": "green",
    },
    RoomSnapshot: {
        "roomId": "green",
        "config": _FULL_CONFIG,
        "summary": _SUMMARY,
        "tableAgentCardUrl": _TABLE,
        "tableBaseUrl": "http://127.0.0.1:4500",
        "events": [_EVENT],
        "tableId": "green",
        "gameType": "texas-holdem",
        "epoch": 1,
    },
    RegisteredPlayer: {**_ADA, "stack": 200, "roomId": "green"},
    **PLAYER_EXAMPLES,
    PlayerFaults: {
        "roomId": "green",
        "playerId": "player-1",
        "outcomes": {"ok": 12, "illegal": 1},
        "faults": [
            {
                "handNumber": 7,
                "epoch": 1,
                "sequence": 90,
                "bettingRound": "flop",
                "action": "fold",
                "outcome": "illegal",
                "turns": 1,
                "latencyMs": 35,
                "timestamp": "2026-11-20T19:43:00.123Z",
                "reason": "raise to 14 is below the smallest, to 37",
            }
        ],
    },
    TableSummary: _SUMMARY,
    EventPage: {"events": [_EVENT], "lastSequence": 93, "epoch": 1},
    HandPage: {"hands": [_HAND], "next": "1.7"},
    **RESULTS,
    **MATCHES,
    HandDetail: {"roomId": "green", "hand": _HAND, "events": [_EVENT]},
    HandRecord: {
        "tableId": "green",
        "handId": "green/7",
        "handNumber": 7,
        "epoch": 1,
        "gameType": "texas-holdem",
        "buttonSeat": 0,
        "players": [{**_ADA, "stack": 200}, {**_BOB, "stack": 200}],
        "holeCards": [
            {
                "playerId": "player-1",
                "cards": [{"rank": "Q", "suit": "spades"}, {"rank": "Q", "suit": "diamonds"}],
            }
        ],
        "deck": _BOARD,
        "decisions": [
            {
                "playerId": "player-2",
                "bettingRound": "flop",
                "action": {"action": "fold"},
                "outcome": "ok",
                "reasoning": "I have nothing.",
            }
        ],
        "odds": [
            {
                "bettingRound": "flop",
                "communityCards": _BOARD,
                "odds": [{"playerId": "player-1", "win": 0.9, "tie": 0.01}],
                "isExact": True,
            }
        ],
        "scores": {"player-1": 20, "player-2": -20},
        "privateStates": {},
    },
    TableList: {
        "tables": [
            {
                "agentCardUrl": _TABLE,
                "source": "launched",
                "health": "ready",
                "roomId": "green",
                "tableId": "green",
            }
        ]
    },
    GameList: {
        "games": [
            {
                "gameType": "kuhn_poker",
                "name": "Kuhn Poker",
                "category": "card",
                "gameModel": "turn_based",
                "players": {"min": 2, "max": 2},
                "specVersion": "1.0.0",
                "schemaFormat": "json-schema",
            }
        ]
    },
    LobbyInfo: {
        "name": "A2A Casino",
        "version": "0.1.0",
        "agentCardUrl": "http://127.0.0.1:4000/.well-known/agent-card.json",
        "defaultConfig": _FULL_CONFIG,
        "launchesTables": True,
        "operatorTokenNeeded": False,
        "limits": {"commandsPerMinute": 600, "eventsPerPage": 5_000},
        "gatewayUrl": "http://127.0.0.1:4050",
        "sampleBots": [{"name": "Tight", "agentCardUrl": _PLAYER}],
    },
}

SPECIFICATION = "---\ngameType: kuhn_poker\nversion: 1.0.0\n---\n\n# Kuhn Poker\n"
"""The first lines of a game's specification."""

STREAMED: Example = {
    "id": "4711",
    "event": "table_event",
    "data": json.dumps({"cursor": 4711, "roomId": "green", "event": _EVENT}),
}
"""A `table_event` of a stream."""


def message_example(model: type[WireModel]) -> Example:
    """Return the example of a response, or of a request body without its path parameters."""
    return _MESSAGES[model]


def problem_example(kind: ProblemType) -> Example:
    """Return the example of a problem document."""
    problem: Example = {
        "type": kind.path,
        "title": kind.title,
        "status": kind.status,
        "detail": kind.meaning.split(". ")[0].rstrip(".") + ".",
    }
    if kind is ProblemType.INVALID_REQUEST:
        fault = {"pointer": "#/config/maxSeats", "detail": "must be a whole number from 2 to 10"}
        problem["errors"] = [fault]
    return problem
