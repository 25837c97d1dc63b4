"""Fixed parts, examples and JSON Schemas of the OpenAPI document."""

import json
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from typing import Any, Final

from casino_contracts import StartOverrides, StartRoomInput, WireModel
from pydantic.json_schema import models_json_schema

from casino_lobby.problem import ProblemType
from casino_lobby.rest.operation import EVENT_STREAM, Operation

EXAMPLES: Final = Path(__file__).with_name("openapi_examples.json")
"""`make reference` writes it from the golden files of the messages."""
_REFERENCE = "#/components/schemas/"
_PROBLEM_TYPES = ["about:blank", *(kind.path for kind in ProblemType)]
PROBLEM_SCHEMA = {
    "type": "object",
    "description": "RFC 9457 problem details.",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "format": "uri-reference", "enum": _PROBLEM_TYPES},
        "title": {"type": "string"},
        "status": {"type": "integer", "minimum": 400, "maximum": 599},
        "detail": {"type": "string", "description": "What is wrong and what to do."},
        "reason": {"type": "string", "description": "A stable upper-case code."},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["pointer", "detail"],
                "properties": {
                    "pointer": {"type": "string", "description": "A JSON pointer: #/config/ante."},
                    "detail": {"type": "string"},
                },
            },
        },
    },
}


@cache
def parts() -> dict[str, Any]:
    """Return descriptions and headers by name, and examples of what is no message."""
    data: dict[str, Any] = json.loads(Path(__file__).with_name("openapi_parts.json").read_bytes())
    return data


@cache
def message_examples() -> dict[str, dict[str, Any]]:
    """Return the examples of messages, by model."""
    data: dict[str, dict[str, Any]] = json.loads(EXAMPLES.read_bytes())
    return data


def message_example(model: type[WireModel], in_path: Collection[str] = ()) -> dict[str, Any]:
    """Return the example of a response, or of a request body without its path parameters."""
    example = message_examples().get(model.__name__, {})  # of a new one until it is written
    return {name: value for name, value in example.items() if name not in in_path}


def problem_example(kind: ProblemType) -> dict[str, Any]:
    problem: dict[str, Any] = {
        "type": kind.path,
        "title": kind.title,
        "status": kind.status,
        "detail": kind.meaning.split(". ")[0].rstrip(".") + ".",
    }
    if kind is ProblemType.INVALID_REQUEST:
        fault = {"pointer": "#/config/maxSeats", "detail": "must be a whole number from 2 to 10"}
        problem["errors"] = [fault]
    return problem


def reference(name: str) -> dict[str, Any]:
    return {"$ref": _REFERENCE + name}


def component_schemas(models: Iterable[type[WireModel]]) -> dict[str, Any]:
    """Let messages have additional properties, as clients must ignore unknown fields."""
    ordered = sorted(set(models), key=lambda model: model.__name__)
    _, schemas = models_json_schema(
        [(model, "validation") for model in ordered], ref_template=_REFERENCE + "{model}"
    )
    components: dict[str, Any] = schemas["$defs"]
    return components


def body_schema(model: type[WireModel], in_path: Collection[str]) -> dict[str, Any]:
    """Inline a request body's schema without path parameters; it is closed, and null is allowed."""
    whole = model.model_json_schema(mode="validation")
    schema = _closed(whole, whole.pop("$defs", {}))
    for name in in_path:
        schema["properties"].pop(name, None)
    schema["required"] = [name for name in schema.get("required", ()) if name not in in_path]
    if model is StartRoomInput:  # overrides may also be top-level fields, as in `startGame`
        flat = body_schema(StartOverrides, ())["properties"]
        schema["properties"] |= flat
        schema["dependentSchemas"] = {"overrides": {"properties": dict.fromkeys(flat, False)}}
    return schema


def _closed(schema: dict[str, Any], parts: dict[str, Any]) -> dict[str, Any]:
    """Inline the definitions; make optional fields nullable."""
    required = schema.get("required", ())
    properties = {}
    for name, declared in schema.get("properties", {}).items():
        field = _inlined(declared, parts)
        if isinstance(field.get("items"), dict):
            field = {**field, "items": _inlined(field["items"], parts)}
        is_free_form = field.get("additionalProperties") is True  # its default is {}
        is_optional = name not in required and "default" not in field and not is_free_form
        properties[name] = {"anyOf": [field, {"type": "null"}]} if is_optional else field
    return {**schema, "properties": properties, "additionalProperties": False}


def _inlined(declared: dict[str, Any], parts: dict[str, Any]) -> dict[str, Any]:
    part = parts.get(declared.get("$ref", "").rpartition("/")[2])
    siblings = {key: value for key, value in declared.items() if key != "$ref"}
    return declared if part is None else {**_closed(part, parts), **siblings}


def stream_response(operation: Operation) -> dict[str, Any]:
    """Return the OpenAPI response of a stream; `x-events` maps event name → schema of `data`."""
    events = {name: reference(model.__name__) for name, model in operation.events.items()}
    if "hand_record" in events:
        events["hand_record_missing"] = parts()["missingRecord"]
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
    content = {
        "schema": event,
        "example": parts()["streamed"],
        "x-events": events,
    }
    return {"description": "A stream of server-sent events.", "content": {EVENT_STREAM: content}}
