"""The schemas of the OpenAPI document: what is answered, and what is taken."""

from collections.abc import Collection, Iterable
from typing import Any

from casino_contracts import StartOverrides, StartRoomInput, WireModel
from pydantic.json_schema import models_json_schema

from casino_lobby.problems.types import ProblemType

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
        "detail": {"type": "string", "description": "What is wrong here, and what to do."},
        "reason": {"type": "string", "description": "A stable upper-case word."},
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


def reference(name: str) -> dict[str, Any]:
    """Return a reference to a component."""
    return {"$ref": _REFERENCE + name}


def answered(models: Iterable[type[WireModel]]) -> dict[str, Any]:
    """Return the components of what is answered, as whoever writes it has to fulfil it.

    Readers ignore what they do not know, so these stay open.
    """
    wanted = sorted(set(models), key=lambda model: model.__name__)
    _, schemas = models_json_schema(
        [(model, "validation") for model in wanted], ref_template=_REFERENCE + "{model}"
    )
    components: dict[str, Any] = schemas["$defs"]
    return components


def taken(model: type[WireModel], in_path: Collection[str]) -> dict[str, Any]:
    """Return the schema of a body, without the fields that stand in the path.

    What REST does not know it refuses, and an optional field may be null: so the schema is closed,
    in one piece, and not that of the same message in an answer.
    """
    whole = model.model_json_schema(mode="validation")
    schema = _closed(whole, whole.pop("$defs", {}))
    for name in in_path:
        schema["properties"].pop(name, None)
    schema["required"] = [name for name in schema.get("required", ()) if name not in in_path]
    if model is StartRoomInput:  # its overrides may stand flat instead, as in the table's startGame
        flat = taken(StartOverrides, ())["properties"]
        schema["properties"] |= flat
        schema["dependentSchemas"] = {"overrides": {"properties": dict.fromkeys(flat, False)}}
    return schema


def _closed(schema: dict[str, Any], parts: dict[str, Any]) -> dict[str, Any]:
    """Return an object's schema with its parts in place, closed, its optional fields nullable."""
    required = schema.get("required", ())
    properties = {}
    for name, declared in schema.get("properties", {}).items():
        part = parts.get(declared.get("$ref", "").rpartition("/")[2])
        field = declared if part is None else {**_closed(part, parts), **_beside(declared)}
        is_free = field.get("additionalProperties") is True  # an object that is {} by default
        is_optional = name not in required and "default" not in field and not is_free
        properties[name] = {"anyOf": [field, {"type": "null"}]} if is_optional else field
    return {**schema, "properties": properties, "additionalProperties": False}


def _beside(declared: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in declared.items() if key != "$ref"}
