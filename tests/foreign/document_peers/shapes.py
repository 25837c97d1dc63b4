"""The document's schemas as plain checks; keys that a schema does not name are ignored.

Amounts of a room whose config has whole numbers are whole numbers.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

Check = Callable[[Any], Iterator[str]]
"""Yields what is wrong with a value, each beginning with the path below the value."""


def faults(check: Check, value: Any) -> list[str]:
    """Return what is wrong with a value."""
    return list(check(value))


def text(least: int = 0) -> Check:
    """Return a check for a string of at least so many characters."""

    def check(value: Any) -> Iterator[str]:
        if not isinstance(value, str) or len(value) < least:
            yield f": {value!r} is not a string of {least} or more characters"

    return check


def url() -> Check:
    """Return a check for an absolute URL."""

    def check(value: Any) -> Iterator[str]:
        parts = urlsplit(value) if isinstance(value, str) else None
        if parts is None or not parts.scheme or not parts.netloc:
            yield f": {value!r} is not a URL"

    return check


def whole(least: int = 0, most: float = float("inf")) -> Check:
    """Return a check for an integer, which is no boolean and has no decimal point."""

    def check(value: Any) -> Iterator[str]:
        if type(value) is not int or not least <= value <= most:
            yield f": {value!r} is not an integer of {least} to {most}"

    return check


def one_of(*words: str) -> Check:
    """Return a check for an enumeration."""

    def check(value: Any) -> Iterator[str]:
        if value not in words:
            yield f": {value!r} is none of {', '.join(words)}"

    return check


def many(item: Check, least: int = 0, most: float = float("inf")) -> Check:
    """Return a check for a list."""

    def check(value: Any) -> Iterator[str]:
        if not isinstance(value, list) or not least <= len(value) <= most:
            yield f": {value!r} is not a list of {least} to {most}"
            return
        for number, content in enumerate(value):
            yield from (f"[{number}]{fault}" for fault in item(content))

    return check


def anything(value: Any) -> Iterator[str]:
    """Check for an object of any content."""
    if not isinstance(value, dict):
        yield f": {value!r} is not an object"


def shape(required: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> Check:
    """Return a check for an object."""

    def check(value: Any) -> Iterator[str]:
        if not isinstance(value, dict):
            yield f": {value!r} is not an object"
            return
        yield from (f".{key}: is missing" for key in required if key not in value)
        for key, inner in {**required, **(optional or {})}.items():
            if key in value:
                yield from (f".{key}{fault}" for fault in inner(value[key]))

    return check


SKILL = text(1)
POSITIVE, NONNEGATIVE = whole(1), whole(0)
CARD = shape(
    {
        "rank": one_of(*"23456789TJQKA"),
        "suit": one_of("hearts", "diamonds", "clubs", "spades"),
    }
)
ACTION = one_of("fold", "check", "call", "bet", "raise", "all-in")

SIGNUP_INVITATION = shape(
    {
        "casinoName": text(),
        "tableId": text(),
        "roomId": text(),
        "minBuyIn": POSITIVE,
        "maxBuyIn": POSITIVE,
        "smallBlind": POSITIVE,
        "bigBlind": POSITIVE,
    }
)
SIGNUP_RESPONSE = shape({"displayName": text(1)}, {"actionSkill": SKILL, "buyIn": POSITIVE})
ACTION_REQUEST = shape(
    {
        "tableId": text(),
        "bettingRound": one_of("preflop", "flop", "turn", "river"),
        "communityCards": many(CARD),
        "holeCards": many(CARD, 2, 2),
        "pot": NONNEGATIVE,
        "minimumRaise": NONNEGATIVE,
        "currentBet": NONNEGATIVE,
        "playerStack": NONNEGATIVE,
        "legalActions": many(ACTION, 1),
    }
)
ACTION_RESPONSE = shape({"action": ACTION}, {"amount": NONNEGATIVE, "message": text()})

TABLE_CONFIG = shape(
    {
        "startingStack": POSITIVE,
        "smallBlind": POSITIVE,
        "bigBlind": POSITIVE,
        "minBuyIn": POSITIVE,
        "maxBuyIn": POSITIVE,
        "maxHands": POSITIVE,
        "maxSeats": whole(2, 10),
    }
)
CREATE_ROOM = shape(
    {"config": TABLE_CONFIG}, {"roomId": text(), "tableId": text(), "tableAgentCardUrl": url()}
)
LOBBY_REGISTER = shape(
    {"roomId": text(), "agentCardUrl": url()},
    {"signupSkill": SKILL, "actionSkill": SKILL, "preferredSeat": NONNEGATIVE},
)
OVERRIDES = shape({}, {"maxHands": POSITIVE, "smallBlind": POSITIVE, "bigBlind": POSITIVE})
START_ROOM = shape({"roomId": text()}, {"overrides": OVERRIDES})

CONFIGURE_TABLE = shape(
    {
        "tableId": text(),
        "casinoName": text(),
        "config": TABLE_CONFIG,
        "casinoCallback": shape({"agentCardUrl": url(), "eventSkill": SKILL}),
    }
)
TABLE_REGISTER = shape(
    {
        "playerId": text(),
        "displayName": text(),
        "agentCardUrl": url(),
        "actionSkill": SKILL,
        "startingStack": POSITIVE,
    },
    {"preferredSeat": NONNEGATIVE},
)
TABLE_EVENT = shape(
    {
        "tableId": text(),
        "eventType": one_of(
            "player_registered",
            "hand_started",
            "action_taken",
            "hand_completed",
            "player_busted",
            "table_error",
            "table_status",
        ),
        "message": text(),
        "timestamp": text(),
    },
    {"payload": anything},
)
SUMMARY = shape(
    {"status": text(1), "players": many(anything)},
    {"message": text()},
)
"""What the document says of a table's summary: its status, players and latest message."""
