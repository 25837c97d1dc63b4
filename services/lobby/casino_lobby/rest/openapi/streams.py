"""OpenAPI responses of the event streams: event names and schemas."""

from typing import Any

from casino_lobby.rest.openapi import examples
from casino_lobby.rest.openapi.schemas import reference
from casino_lobby.rest.operation import EVENT_STREAM, Operation

_MISSING = {
    "type": "object",
    "description": "The record of this hand is not available.",
    "required": ["handId", "reason"],
    "properties": {"handId": {"type": "string"}, "reason": {"type": "string"}},
}


def stream_response(operation: Operation) -> dict[str, Any]:
    """Return the OpenAPI response of a stream; `x-events` maps event name → schema of `data`."""
    events = {name: reference(model.__name__) for name, model in operation.events.items()}
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
