"""The OpenAPI 3.1 document of the operator's API, made from the contracts."""

from typing import Any

from casino_contracts import (
    CreateRoomInput,
    EventPage,
    RegisteredPlayer,
    RegisterPlayerInput,
    RoomList,
    RoomSnapshot,
    StartRoomInput,
    TableSummary,
    WireModel,
)
from pydantic.json_schema import models_json_schema

from casino_lobby.problems import PROBLEM_JSON, ProblemType

_MODELS: list[type[WireModel]] = [
    CreateRoomInput,
    EventPage,
    RegisterPlayerInput,
    RegisteredPlayer,
    RoomList,
    RoomSnapshot,
    StartRoomInput,
    TableSummary,
]
_ROOM_ID = {
    "name": "roomId",
    "in": "path",
    "required": True,
    "schema": {"type": "string"},
}
_PLAYER_ID = {**_ROOM_ID, "name": "playerId"}
_IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "Names the command: sent again with the same key, it is not done again.",
    "schema": {"type": "string", "maxLength": 256},
}
_PROBLEM_SCHEMA = {
    "type": "object",
    "description": "RFC 9457 problem details.",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "enum": [f"/problems/{kind.slug}" for kind in ProblemType]},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "reason": {"type": "string", "description": "A stable upper-case word."},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["pointer", "detail"],
                "properties": {"pointer": {"type": "string"}, "detail": {"type": "string"}},
            },
        },
    },
}


def _content(model: type[WireModel]) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{model.__name__}"}}}


def _operation(
    operation_id: str,
    summary: str,
    status: int,
    output: type[WireModel],
    takes: type[WireModel] | None = None,
    parameters: tuple[dict[str, Any], ...] = (),
) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": operation_id,
        "summary": summary,
        "parameters": list(parameters),
        "responses": {
            str(status): {"description": summary, "content": _content(output)},
            "default": {
                "description": "A problem.",
                "content": {PROBLEM_JSON: {"schema": {"$ref": "#/components/schemas/Problem"}}},
            },
        },
    }
    if takes is not None:
        operation["requestBody"] = {"content": _content(takes), "required": True}
        operation["parameters"].append(_IDEMPOTENCY_KEY)
    return operation


def _query(name: str, description: str, default: int | None) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "integer", "minimum": 0}
    if default is not None:
        schema["default"] = default
    return {"name": name, "in": "query", "description": description, "schema": schema}


def openapi_document(version: str) -> dict[str, Any]:
    """Return the document as JSON values."""
    _, schemas = models_json_schema(
        [(model, "validation") for model in _MODELS],
        ref_template="#/components/schemas/{model}",
    )
    for path_given in ("RegisterPlayerInput", "StartRoomInput"):
        # In REST the room stands in the path.
        schema = schemas["$defs"][path_given]
        schema["properties"].pop("roomId")
        schema["required"] = [name for name in schema["required"] if name != "roomId"]
    return {
        "openapi": "3.1.0",
        "info": {"title": "A2A Casino lobby", "version": version},
        "paths": {
            "/v1/rooms": {
                "get": _operation("listRooms", "All rooms.", 200, RoomList),
                "post": _operation(
                    "createRoom", "The room that was opened.", 201, RoomSnapshot, CreateRoomInput
                ),
            },
            "/v1/rooms/{roomId}": {
                "parameters": [_ROOM_ID],
                "get": _operation("readRoom", "The room.", 200, RoomSnapshot),
                "delete": _operation(
                    "closeRoom", "The room, which ends after its running hand.", 202, RoomSnapshot
                ),
            },
            "/v1/rooms/{roomId}/players": {
                "parameters": [_ROOM_ID],
                "post": _operation(
                    "registerPlayer",
                    "The seat that was given.",
                    201,
                    RegisteredPlayer,
                    RegisterPlayerInput,
                ),
            },
            "/v1/rooms/{roomId}/players/{playerId}": {
                "parameters": [_ROOM_ID, _PLAYER_ID],
                "delete": _operation(
                    "leaveRoom",
                    "The table; the seat is free at once between hands, else after the hand.",
                    202,
                    TableSummary,
                ),
            },
            "/v1/rooms/{roomId}/start": {
                "parameters": [_ROOM_ID],
                "post": _operation(
                    "startRoom", "The table, which has begun.", 202, TableSummary, StartRoomInput
                ),
            },
            "/v1/rooms/{roomId}/events": {
                "parameters": [_ROOM_ID],
                "get": _operation(
                    "readEvents",
                    "Events of the room.",
                    200,
                    EventPage,
                    parameters=(
                        _query("after", "Only events after this sequence.", 0),
                        _query("limit", "At most so many.", 500),
                        _query("epoch", "Of which reign of the table; absent: the last.", None),
                    ),
                ),
            },
        },
        "components": {"schemas": {**schemas["$defs"], "Problem": _PROBLEM_SCHEMA}},
    }
