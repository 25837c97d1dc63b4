"""Standings of a recorded session, in the shape in which the lobby reports them."""

from collections import Counter, defaultdict
from math import sqrt
from statistics import mean, stdev
from typing import Any

Event = dict[str, Any]

FEWEST_HANDS = 30


def standings(events: list[Event]) -> dict[str, Any]:
    """Return who has won how much after the events of a session of Hold'em."""
    names: dict[str, str] = {}
    bought: Counter[str] = Counter()
    stacks: dict[str, float] = {}
    results: defaultdict[str, list[float]] = defaultdict(list)
    outcomes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    big_blind = 1.0
    for event in events:
        payload = event["payload"]
        match event["eventType"], payload.get("kind"):
            case "player_registered", _:
                names[payload["playerId"]] = payload["displayName"]
                bought[payload["playerId"]] += payload["stack"]
                stacks[payload["playerId"]] = payload["stack"]
            case "table_status", "rebought":
                bought[payload["playerId"]] += payload["amount"]
                stacks[payload["playerId"]] = payload["stack"]
            case "hand_started", _:
                big_blind = payload["bigBlind"]
            case "action_taken", _:
                outcomes[payload["playerId"]][payload["outcome"]] += 1
            case "hand_completed", _:
                for player in payload["stacks"]:
                    change = player["stack"] - stacks[player["playerId"]]
                    results[player["playerId"]].append(change / big_blind)
                    stacks[player["playerId"]] = player["stack"]
    players: list[dict[str, Any]] = [
        {
            "playerId": player,
            "displayName": name,
            "hands": len(results[player]),
            "net": stacks[player] - bought[player],
            "bought": bought[player],
            "stack": stacks[player],
            "bbPer100": 100 * mean(results[player]) if results[player] else 0,
            "halfInterval95": _half_interval(results[player]),
            "faults": {kind: n for kind, n in outcomes[player].items() if kind != "ok"},
            "decisions": outcomes[player].total(),
        }
        for player, name in names.items()
    ]
    hands = sum(event["eventType"] == "hand_completed" for event in events)
    ranked = sorted(players, key=lambda player: -player["net"])
    return {"roomId": "main", "hands": hands, "players": ranked}


def series(events: list[Event]) -> dict[str, Any]:
    """Return the course of the nets in a session with few hands, one step for each."""
    names: dict[str, str] = {}
    nets: defaultdict[str, list[float]] = defaultdict(list)
    bought: Counter[str] = Counter()
    hands: list[int] = []
    for event in events:
        payload = event["payload"]
        match event["eventType"], payload.get("kind"):
            case "player_registered", _:
                names[payload["playerId"]] = payload["displayName"]
                bought[payload["playerId"]] += payload["stack"]
            case "table_status", "rebought":
                bought[payload["playerId"]] += payload["amount"]
            case "hand_completed", _:
                hands.append(payload["handNumber"])
                for player in payload["stacks"]:
                    net = player["stack"] - bought[player["playerId"]]
                    nets[player["playerId"]] += [net, net]
    lines = [
        {
            "playerId": player,
            "displayName": name,
            "net": [0, *nets[player]][-1],
            "nets": nets[player],
        }
        for player, name in names.items()
    ]
    first = {"firstHand": hands[0]} if hands else {}
    course = {"hands": len(hands), "handsPerStep": 1, "lastHands": hands, **first}
    return {"roomId": "main", **course, "players": lines}


def _half_interval(results: list[float]) -> float | None:
    if len(results) < FEWEST_HANDS:
        return None
    return 100 * 2 * stdev(results) / sqrt(len(results))  # nearly Student's quantile
