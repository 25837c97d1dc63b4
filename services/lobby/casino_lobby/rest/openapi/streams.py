"""The streams in the OpenAPI document: which events they have, and what each looks like."""

from typing import Any

from casino_contracts import (
    HandRecord,
    Lagged,
    LobbyStreamSnapshot,
    RoomStreamSnapshot,
    StreamedEvent,
    StreamedRoom,
    WireModel,
)

from casino_lobby.rest.openapi import examples
from casino_lobby.rest.openapi.schemas import reference
from casino_lobby.rest.operation import EVENT_STREAM

_ROOM_EVENTS: dict[str, type[WireModel]] = {
    "snapshot": RoomStreamSnapshot,
    "table_event": StreamedEvent,
    "hand_record": HandRecord,
    "room_closed": StreamedRoom,
    "lagged": Lagged,
}
_LOBBY_EVENTS: dict[str, type[WireModel]] = {
    "snapshot": LobbyStreamSnapshot,
    "table_event": StreamedEvent,
    "room_opened": StreamedRoom,
    "room_closed": StreamedRoom,
    "lagged": Lagged,
}
_EVENTS = {"streamRoom": _ROOM_EVENTS, "streamLobby": _LOBBY_EVENTS}
STREAMED = {model.__name__: model for events in _EVENTS.values() for model in events.values()}
"""The messages that come by streams."""
_MISSING = {
    "type": "object",
    "description": "The table could not give the record of this hand.",
    "required": ["handId", "reason"],
    "properties": {"handId": {"type": "string"}, "reason": {"type": "string"}},
}


def stream_answer(operation_id: str) -> dict[str, Any]:
    """Return the answer of a stream: the schema of one event, and of `data` by its name."""
    events: dict[str, Any] = {
        name: reference(model.__name__) for name, model in _EVENTS[operation_id].items()
    }
    if "hand_record" in events:
        events["hand_record_missing"] = _MISSING
    event = {
        "type": "object",
        "description": "One server-sent event; its data is JSON, see `x-events`.",
        "required": ["event", "data"],
        "properties": {
            "id": {"type": "string", "description": "The cursor: go on after it."},
            "event": {"type": "string", "enum": list(events)},
            "data": {"type": "string", "contentMediaType": "application/json"},
        },
    }
    content = {"schema": event, "example": examples.STREAMED, "x-events": events}
    return {
        "description": "An endless stream of server-sent events.",
        "content": {EVENT_STREAM: content},
    }
