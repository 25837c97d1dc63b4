"""Questions and answers of Hold'em as plain JSON, right but for what a mutation does to them."""

import random
from typing import Any

_RANKS, _SUITS = "23456789TJQKA", ("hearts", "diamonds", "clubs", "spades")
_ROUNDS = ("preflop", "flop", "turn", "river")
_KINDS = ("fold", "check", "call", "bet", "raise", "all-in")
_STATUSES = ("active", "folded", "all-in", "sitting-out")
_TEXTS = ("main", "player-1", "Ada \u00e9\u202e", "", "a/1:2", '"\\\n')
_AMOUNTS = (0, 1, 2, 40, 1_000, 2**53 - 1, 0.5, 2.0, 1e3)


def _amount(rng: random.Random) -> float:
    return rng.choice(_AMOUNTS[:6]) if rng.random() < 0.9 else rng.choice(_AMOUNTS)


def _card(rng: random.Random) -> dict[str, str]:
    return {"rank": rng.choice(_RANKS), "suit": rng.choice(_SUITS)}


def _view(rng: random.Random) -> dict[str, Any]:
    return {
        "playerId": rng.choice(_TEXTS),
        "displayName": rng.choice(_TEXTS),
        "seatNumber": rng.randint(0, 9),
        "stack": _amount(rng),
        "bet": _amount(rng),
        "status": rng.choice(_STATUSES),
    }


def _past(rng: random.Random) -> dict[str, Any]:
    past: dict[str, Any] = {
        "playerId": rng.choice(_TEXTS),
        "bettingRound": rng.choice(_ROUNDS),
        "action": rng.choice(_KINDS),
    }
    return past if rng.random() < 0.5 else {**past, "amount": _amount(rng)}


def question(rng: random.Random) -> dict[str, Any]:
    """Return a request for an action; what is optional may be absent."""
    more: dict[str, Any] = {
        "requestId": f"q{rng.randint(1, 9)}",
        "gameType": "texas-holdem",
        "handId": "main/1",
        "handNumber": rng.randint(1, 99),
        "playerId": "player-1",
        "seatNumber": rng.randint(0, 9),
        "buttonSeat": rng.randint(0, 9),
        "toCall": _amount(rng),
        "minRaiseTo": rng.choice((None, _amount(rng))),
        "maxRaiseTo": rng.choice((None, _amount(rng))),
        "deadlineMs": rng.randint(0, 30_000),
        "timeBankMs": rng.randint(0, 30_000),
        "players": [_view(rng) for _ in range(rng.randint(0, 3))],
        "history": [_past(rng) for _ in range(rng.randint(0, 3))],
    }
    if rng.random() < 0.1:
        more["rejected"] = {"reason": "illegal", "message": "no", "answer": {"action": "bet"}}
    few = rng.random() < 0.5
    return {
        "tableId": rng.choice(_TEXTS),
        "bettingRound": rng.choice(_ROUNDS),
        "communityCards": [_card(rng) for _ in range(rng.choice((0, 3, 4, 5)))],
        "holeCards": [_card(rng), _card(rng)],
        "pot": _amount(rng),
        "minimumRaise": _amount(rng),
        "currentBet": _amount(rng),
        "playerStack": _amount(rng),
        "legalActions": rng.sample(_KINDS, rng.randint(1, 4)),
        **{name: value for name, value in more.items() if not few or rng.random() < 0.8},
    }


def answer(rng: random.Random) -> dict[str, Any]:
    """Return an answer, with or without what it may say beside its action."""
    more = {
        "amount": _amount(rng),
        "message": rng.choice(_TEXTS),
        "reasoning": rng.choice(_TEXTS),
        "away": rng.choice((True, False, None)),
    }
    return {
        "action": rng.choice(_KINDS),
        **{name: value for name, value in more.items() if rng.random() < 0.3},
    }
