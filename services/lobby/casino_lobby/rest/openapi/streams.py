"""OpenAPI responses of the event streams: event names and schemas."""

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
"""The messages sent on streams, by name."""
_MISSING = {
    "type": "object",
    "description": "The record of this hand is not available.",
    "required": ["handId", "reason"],
    "properties": {"handId": {"type": "string"}, "reason": {"type": "string"}},
}


def stream_response(operation_id: str) -> dict[str, Any]:
    """Return the OpenAPI response of a stream; `x-events` maps event name → schema of `data`."""
    events: dict[str, Any] = {
        name: reference(model.__name__) for name, model in _EVENTS[operation_id].items()
    }
    if "hand_record" in events:
        events["hand_record_missing"] = _MISSING
    event = {
        "type": "object",
        "description": "A server-sent event. `x-events` has the schema of `data` by event name.",
        "required": ["event", "data"],
        "properties": {
            "id": {"type": "string", "description": "The cursor to resume after."},
            "event": {"type": "string", "enum": list(events)},
            "data": {"type": "string", "contentMediaType": "application/json"},
        },
    }
    content = {"schema": event, "example": examples.STREAMED, "x-events": events}
    return {
        "description": "A stream of server-sent events.",
        "content": {EVENT_STREAM: content},
    }
