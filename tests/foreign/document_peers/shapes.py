"""The document's schemas as plain checks; keys that a schema does not name are ignored.

Amounts of a room whose config has whole numbers are whole numbers, but at the original's table.
"""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

Shape = Any
"""What holds for a value: a predicate, a list with the shape of its items, a tuple of the shapes of
so many items, or the shapes of an object's members, where "?" ends the name of what may be missing.
"""


def faults(shape: Shape, value: Any, at: str = "") -> list[str]:
    """Return what is wrong with a value, each with its path."""
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            return [f"{at}: {value!r} is not an object"]
        found = []
        for name, inner in shape.items():
            key = name.removesuffix("?")
            if key in value:
                found += faults(inner, value[key], f"{at}.{key}")
            elif key == name:
                found.append(f"{at}.{key}: is missing")
        return found
    if isinstance(shape, list | tuple):
        if not isinstance(value, list) or (isinstance(shape, tuple) and len(value) != len(shape)):
            return [f"{at}: {value!r} is not a list of that length"]
        return [
            fault
            for number, item in enumerate(value)
            for fault in faults(shape[0], item, f"{at}[{number}]")
        ]
    return [] if shape(value) else [f"{at}: {value!r} is wrong"]


def text(value: Any) -> bool:
    return isinstance(value, str)


def name(value: Any) -> bool:
    """Return whether a value is a string that is not empty."""
    return isinstance(value, str) and value != ""


def url(value: Any) -> bool:
    """Return whether a value is an absolute URL."""
    parts = urlsplit(value) if isinstance(value, str) else None
    return parts is not None and bool(parts.scheme and parts.netloc)


def whole(least: int, most: float = float("inf")) -> Callable[[Any], bool]:
    """Return a check for an integer, which is no boolean and has no decimal point."""
    return lambda value: type(value) is int and least <= value <= most


def one_of(*words: str) -> Callable[[Any], bool]:
    return lambda value: value in words


ANYTHING: Shape = {}
"""An object of any content."""
POSITIVE, NONNEGATIVE = whole(1), whole(0)
CARD = {
    "rank": one_of(*"23456789TJQKA"),
    "suit": one_of("hearts", "diamonds", "clubs", "spades"),
}
ACTION = one_of("fold", "check", "call", "bet", "raise", "all-in")
STAKES = {"minBuyIn": POSITIVE, "maxBuyIn": POSITIVE, "smallBlind": POSITIVE, "bigBlind": POSITIVE}

SIGNUP_INVITATION = {"casinoName": text, "tableId": text, "roomId": text, **STAKES}
SIGNUP_RESPONSE = {"displayName": name, "actionSkill?": name, "buyIn?": POSITIVE}
ACTION_REQUEST = {
    "tableId": text,
    "bettingRound": one_of("preflop", "flop", "turn", "river"),
    "communityCards": [CARD],
    "holeCards": (CARD, CARD),
    "pot": NONNEGATIVE,
    "minimumRaise": NONNEGATIVE,
    "currentBet": NONNEGATIVE,
    "playerStack": NONNEGATIVE,
    "legalActions": [ACTION],
}
_AMOUNTS = ("pot", "minimumRaise", "currentBet", "playerStack")
ORIGINAL_REQUEST = {**ACTION_REQUEST, **dict.fromkeys(_AMOUNTS, lambda value: value >= 0)}
ACTION_RESPONSE = {"action": ACTION, "amount?": NONNEGATIVE, "message?": text}

TABLE_CONFIG = {
    "startingStack": POSITIVE,
    **STAKES,
    "maxHands": POSITIVE,
    "maxSeats": whole(2, 10),
}
CREATE_ROOM = {"config": TABLE_CONFIG, "roomId?": text, "tableId?": text, "tableAgentCardUrl?": url}
LOBBY_REGISTER = {
    "roomId": text,
    "agentCardUrl": url,
    "signupSkill?": name,
    "actionSkill?": name,
    "preferredSeat?": NONNEGATIVE,
}
OVERRIDES = {"maxHands?": POSITIVE, "smallBlind?": POSITIVE, "bigBlind?": POSITIVE}
START_ROOM = {"roomId": text, "overrides?": OVERRIDES}

CONFIGURE_TABLE = {
    "tableId": text,
    "casinoName": text,
    "config": TABLE_CONFIG,
    "casinoCallback": {"agentCardUrl": url, "eventSkill": name},
}
TABLE_REGISTER = {
    "playerId": text,
    "displayName": text,
    "agentCardUrl": url,
    "actionSkill": name,
    "startingStack": POSITIVE,
    "preferredSeat?": NONNEGATIVE,
}
EVENTS = ("player_registered", "hand_started", "action_taken", "hand_completed", "player_busted",
          "table_error", "table_status")  # fmt: skip
TABLE_EVENT = {
    "tableId": text,
    "eventType": one_of(*EVENTS),
    "message": text,
    "timestamp": text,
    "payload?": ANYTHING,
}
SUMMARY = {"status": name, "players": [ANYTHING], "message?": text}
"""What the document says of a table's summary: its status, players and latest message."""
