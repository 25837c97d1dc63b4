"""Examples of published matches and leagues."""

from typing import Any

from casino_contracts import (
    League,
    LeagueList,
    LeagueSummary,
    MatchHand,
    MatchList,
    MatchResult,
    MatchSummary,
    WireModel,
)

_PLAN_DIGEST = f"sha256:{'1d' * 32}"
_DIGEST = f"sha256:{'9c' * 32}"
_HISTORY = """variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [1, 2]
starting_stacks = [200, 200]
actions = ['p2 cbr 200', 'p1 cc', 'd db 2c7d9hTsQc', 'p2 sm AhAd', 'p1 sm KhKd']
"""
_TIME = "2026-11-23T20:00:00Z"
_SENTENCE = (
    "equity wins 12.5 bb/100 more than tight (95 %: 8.1 to 16.9, 4,000 hands). It says nothing"
    " about other stacks or opponents."
)
_INTERVAL = {"low": 8.1, "high": 16.9}
_OTHER_INTERVAL = {"low": -16.9, "high": -8.1}

_PAIR = {"first": "equity", "second": "tight", "verdict": "better", "sentence": _SENTENCE}
_SUMMARY: dict[str, Any] = {
    "matchId": "equity-tight-9c9c9c9c",
    "name": "equity-tight",
    "digest": _DIGEST,
    "decks": 2_000,
    "hands": 4_000,
    "isComplete": True,
    "players": ["equity", "tight"],
    "pairs": [{**_PAIR, "estimator": "adjusted", "bbPer100": 12.5, "interval": _INTERVAL}],
    "publishedAt": _TIME,
    "finishedAt": _TIME,
}
_LEAGUE_SUMMARY: dict[str, Any] = {
    "leagueId": "styles",
    "name": "styles",
    "players": 2,
    "hands": 4_000,
    "leader": "equity",
    "publishedAt": _TIME,
}
_HAND: dict[str, Any] = {
    "matchId": "equity-tight-9c9c9c9c",
    "handNumber": 1,
    "deck": 17,
    "seating": 0,
    "kind": "biggest",
    "events": [
        {
            "tableId": "equity-tight-9c9c9c9c",
            "eventType": "action_taken",
            "message": "tight is all-in with 200",
            "timestamp": _TIME,
            "sequence": 2,
            "epoch": 1,
            "payload": {
                "handNumber": 1,
                "playerId": "p2",
                "bettingRound": "preflop",
                "action": "all-in",
                "amount": 200,
            },
        }
    ],
    "record": {
        "tableId": "equity-tight-9c9c9c9c",
        "handId": "equity-tight-9c9c9c9c/1",
        "handNumber": 1,
        "epoch": 1,
        "gameType": "texas-holdem",
        "buttonSeat": 1,
        "holeCards": [],
        "scores": {"p1": 200},
        "players": [{"playerId": "p1", "displayName": "equity", "stack": 200, "seatNumber": 0}],
    },
}


def _estimate(rate: float, interval: dict[str, float]) -> dict[str, Any]:
    return {
        "estimator": "adjusted",
        "bbPer100": rate,
        "normal": interval,
        "bootstrap": interval,
        "deckDeviation": 100.2,
        "varianceRatio": 13.8,
    }


def _player(name: str, net: int, rate: float, interval: dict[str, float]) -> dict[str, Any]:
    return {
        "name": name,
        "player": f"style:{name}",
        "hands": 4_000,
        "net": net,
        "estimates": [_estimate(rate, interval)],
        "decisions": 8_112,
        "outcomes": {"ok": 8_110, "illegal": 2},
        "positions": [{"position": "BTN", "hands": 2_000, "net": net}],
        "streets": [{"street": "river", "net": net}],
    }


_RESULT: dict[str, Any] = {
    "name": "equity-tight",
    "plan": {"name": "equity-tight", "deal": {"seed": "7", "decks": 2_000}},
    "planDigest": _PLAN_DIGEST,
    "digest": _DIGEST,
    "decks": 2_000,
    "hands": 4_000,
    "isComplete": True,
    "bigBlind": 2,
    "players": [
        _player("equity", 500, 6.25, _INTERVAL),
        _player("tight", -500, -6.25, _OTHER_INTERVAL),
    ],
    "pairs": [
        {
            **_PAIR,
            "estimates": [_estimate(12.5, _INTERVAL)],
            "headline": "adjusted",
            "simultaneous": _INTERVAL,
            "series": [{"decks": 2_000, "bbPer100": 12.5, **_INTERVAL}],
        }
    ],
    "notableHands": [
        {
            "deck": 17,
            "seating": 0,
            "pot": 400,
            "players": ["equity", "tight"],
            "net": {"equity": 200, "tight": -200},
            "kind": "biggest",
            "history": _HISTORY,
        }
    ],
    "finishedAt": _TIME,
}


def _entry(name: str, rank: int, rate: float, interval: dict[str, float]) -> dict[str, Any]:
    return {
        "name": name,
        "player": f"style:{name}",
        "rank": rank,
        "worstRank": rank,
        "bbPer100": rate,
        "interval": interval,
        "hands": 4_000,
        "isProvisional": True,
    }


_LEAGUE: dict[str, Any] = {
    "name": "styles",
    "provisionalBelow": 5_000,
    "players": [
        _entry("equity", 1, 12.5, _INTERVAL),
        _entry("tight", 2, -12.5, _OTHER_INTERVAL),
    ],
    "matrix": [
        {
            "first": "equity",
            "second": "tight",
            "bbPer100": 12.5,
            "interval": _INTERVAL,
            "hands": 4_000,
            "verdict": "better",
            "match": "equity-tight-9c9c9c9c",
        }
    ],
    "updatedAt": _TIME,
}


MATCHES: dict[type[WireModel], dict[str, Any]] = {
    MatchResult: _RESULT,
    MatchHand: _HAND,
    MatchSummary: _SUMMARY,
    MatchList: {"matches": [_SUMMARY], "next": 41},
    League: _LEAGUE,
    LeagueSummary: _LEAGUE_SUMMARY,
    LeagueList: {"leagues": [_LEAGUE_SUMMARY]},
}
