"""Parses request bodies and path parameters."""

from typing import TypeVar

import orjson
from casino_agentkit import Violation
from casino_contracts import MAX_SAFE, StartOverrides, StartRoomInput, WireModel
from pydantic import ValidationError
from starlette.requests import Request

from casino_lobby.problems.problem import Problem, ProblemType
from casino_lobby.rest.parameters import invalid

ModelT = TypeVar("ModelT", bound=WireModel)

IDEMPOTENCY_KEY = "Idempotency-Key"

_JSON_MEDIA_TYPES = frozenset({"", "application/json", "application/x-www-form-urlencoded"})
"""Media types parsed as JSON: an absent one, JSON, and the default of curl."""


def path_parameter(request: Request, name: str) -> str:
    """Return a path parameter."""
    text: str = request.path_params[name]
    return text


def path_number(request: Request, name: str) -> int:
    """Return a path parameter that is a whole number of at least 1; raises Problem."""
    text = path_parameter(request, name)
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(MAX_SAFE))
    if not is_number or not 1 <= int(text) <= MAX_SAFE:
        raise invalid(name, "must be a whole number from 1")
    return int(text)


def check_media_type(request: Request) -> None:
    """Raise Problem if the `Content-Type` is not accepted as JSON."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in _JSON_MEDIA_TYPES:
        raise Problem(
            ProblemType.UNSUPPORTED_MEDIA_TYPE,
            f"The media type {media_type[:100]} is not supported: send application/json.",
        )


async def read_body(request: Request, model: type[ModelT], **in_path: str) -> ModelT:
    """Return the request body with the path parameters `in_path` as a message.

    Raises Problem; unknown fields are errors.
    """
    return _message(model, _parsed(await request.body()), request, in_path)


def without_body(request: Request, model: type[ModelT], **in_path: str) -> ModelT:
    """Return the message of a request without a body; raises Problem."""
    return _message(model, {}, request, in_path)


def _parsed(content: bytes) -> dict[str, object]:
    try:
        data = orjson.loads(content) if content else {}
    except orjson.JSONDecodeError as error:
        raise Problem(ProblemType.INVALID_JSON, f"The body is not valid JSON: {error}.") from error
    if not isinstance(data, dict):
        raise Problem(ProblemType.INVALID_JSON, "The body must be a JSON object.")
    return data


def _message(
    model: type[ModelT], data: dict[str, object], request: Request, in_path: dict[str, str]
) -> ModelT:
    data = _nested(model, data)
    key = request.headers.get(IDEMPOTENCY_KEY)
    if key and "requestId" in names_of(model):
        data.setdefault("requestId", key)
    faults = _unknown_fields(model, data, set(in_path))
    try:
        message = model.model_validate({**data, **in_path})
    except ValidationError as error:
        faults += [
            Violation(".".join(map(str, fault["loc"])), fault["msg"].removeprefix("Value error, "))
            for fault in error.errors(include_url=False, include_input=False)
        ]
    if faults:
        detail = "; ".join(f"{fault.field}: {fault.message}" for fault in faults[:3])
        raise Problem(ProblemType.INVALID_REQUEST, f"{detail}.", tuple(faults))
    return message


def _nested(model: type[WireModel], data: dict[str, object]) -> dict[str, object]:
    """Move top-level overrides of a `StartRoomInput` into its field `overrides`."""
    flat = {name: data[name] for name in names_of(StartOverrides) if name in data}
    if model is not StartRoomInput or not flat or "overrides" in data:
        return data
    return {**{name: data[name] for name in data if name not in flat}, "overrides": flat}


def names_of(model: type[WireModel]) -> set[str]:
    """Return the wire names of a message's fields."""
    return {field.alias or name for name, field in model.model_fields.items()}


def _unknown_fields(
    model: type[WireModel], data: dict[str, object], in_path: set[str], path: str = ""
) -> list[Violation]:
    """Return violations for the unknown fields, also of nested messages."""
    fields = {
        alias: field
        for name, field in model.model_fields.items()
        if (alias := field.alias or name) not in in_path
    }
    allowed = ", ".join(fields) or "none"
    faults = [
        Violation(f"{path}{name}", f"is unknown; allowed are {allowed}")
        for name in data
        if name not in fields
    ]
    for name, value in data.items():
        annotation = fields[name].annotation if name in fields else None
        for part in (annotation, *getattr(annotation, "__args__", ())):
            if isinstance(part, type) and issubclass(part, WireModel) and isinstance(value, dict):
                faults += _unknown_fields(part, value, set(), f"{path}{name}.")
    return faults
