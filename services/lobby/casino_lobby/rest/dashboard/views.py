"""Rooms, players and summaries with exactly the keys of the original casino's dashboard."""

from collections.abc import Iterable
from typing import Any

import orjson
from casino_contracts import (
    HOLDEM,
    RegisteredPlayer,
    RoomSnapshot,
    RoomSummary,
    TableConfig,
    TableSummary,
    WireModel,
)

Json = dict[str, Any]

POKER = "poker"
"""The original's name of Hold'em."""

DEFAULT_CONFIG = TableConfig(
    starting_stack=1,
    small_blind=0.1,
    big_blind=1,
    min_buy_in=0.1,
    max_buy_in=1,
    max_hands=1,
    max_seats=6,
)
"""The original's defaults."""

_CONFIG = (
    "startingStack",
    "smallBlind",
    "bigBlind",
    "minBuyIn",
    "maxBuyIn",
    "maxHands",
    "maxSeats",
)
_SEAT = ("playerId", "seatNumber", "displayName", "stack")
_EVENT = ("tableId", "eventType", "message", "timestamp", "payload")
_SUMMARY = ("tableId", "status", "handCount", "players", "message")
_LISTED = (
    "roomId",
    "tableId",
    "gameType",
    "tableAgentCardUrl",
    "tableBaseUrl",
    "status",
    "handCount",
    "playerCount",
    "message",
)
_ROOM = ("roomId", "config", "summary", "tableAgentCardUrl", "tableBaseUrl", "events")


def state_view(rooms: Iterable[RoomSummary]) -> Json:
    """Return the answer of `GET /ui/rooms` and `GET /ui/state`."""
    return {
        "rooms": [_listed(room) for room in rooms],
        "defaultConfig": _only(_document(DEFAULT_CONFIG), _CONFIG),
    }


def room_view(snapshot: RoomSnapshot) -> Json:
    """Return a room."""
    room = _only(_document(snapshot), _ROOM)
    room["config"] = _only(room["config"], _CONFIG)
    room["events"] = [_only(event, _EVENT) for event in room["events"]]
    if "summary" in room:
        room["summary"] = _summary(room["summary"])
    return room


def player_view(player: RegisteredPlayer) -> Json:
    """Return a player's new seat."""
    return _only(_document(player), ("roomId", *_SEAT))


def summary_view(summary: TableSummary) -> Json:
    """Return a table's summary."""
    return _summary(_document(summary))


def _listed(room: RoomSummary) -> Json:
    listed = _only(_document(room), _LISTED)
    return {**listed, "gameType": POKER} if room.game_type == HOLDEM else listed


def _summary(document: Json) -> Json:
    players = [_only(seat, _SEAT) for seat in document.get("players", [])]
    return {**_only(document, _SUMMARY), "players": players}


def _document(message: WireModel) -> Json:
    document: Json = orjson.loads(message.wire())
    return document


def _only(document: Json, keys: Iterable[str]) -> Json:
    return {key: document[key] for key in keys if key in document}
