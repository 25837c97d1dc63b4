"""What an operator sends: a body as a message of the contracts, and parts of the path."""

from typing import TypeVar

import orjson
from casino_agentkit import Violation
from casino_contracts import MAX_SAFE, StartOverrides, StartRoomInput, WireModel
from pydantic import ValidationError
from starlette.requests import Request

from casino_lobby.problems.problem import Problem, ProblemType
from casino_lobby.rest.parameters import faulty

ModelT = TypeVar("ModelT", bound=WireModel)

IDEMPOTENCY_KEY = "Idempotency-Key"

_TAKEN_AS_JSON = frozenset({"", "application/json", "application/x-www-form-urlencoded"})
"""Media types of a body that is read as JSON: none, its own, and what curl calls everything."""


def in_path(request: Request, name: str) -> str:
    """Return a part of the path."""
    text: str = request.path_params[name]
    return text


def number_in_path(request: Request, name: str) -> int:
    """Return a part of the path that is a number from 1; raises Problem."""
    text = in_path(request, name)
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(MAX_SAFE))
    if not is_number or not 1 <= int(text) <= MAX_SAFE:
        raise faulty(name, "must be a whole number from 1")
    return int(text)


def check_media_type(request: Request) -> None:
    """Raise Problem for a body that says that it is no JSON."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in _TAKEN_AS_JSON:
        raise Problem(
            ProblemType.UNSUPPORTED_MEDIA_TYPE,
            f"A body of {media_type[:100]} is not taken: send JSON, as application/json.",
        )


async def read_body(request: Request, model: type[ModelT], **known: str) -> ModelT:
    """Return the request's body as a message; `known` comes from the path.

    Raises Problem. An operator's typo is an error here, not an ignored field.
    """
    return _message(model, _parsed(await request.body()), request, known)


def without_body(request: Request, model: type[ModelT], **known: str) -> ModelT:
    """Return the message of a request that has all in its path; raises Problem."""
    return _message(model, {}, request, known)


def _parsed(content: bytes) -> dict[str, object]:
    try:
        data = orjson.loads(content) if content else {}
    except orjson.JSONDecodeError as error:
        raise Problem(ProblemType.INVALID_JSON, f"The body cannot be read: {error}.") from error
    if not isinstance(data, dict):
        raise Problem(ProblemType.INVALID_JSON, "Send one JSON object.")
    return data


def _message(
    model: type[ModelT], data: dict[str, object], request: Request, known: dict[str, str]
) -> ModelT:
    data = _nested(model, data)
    key = request.headers.get(IDEMPOTENCY_KEY)
    if key and "requestId" in names_of(model):
        data.setdefault("requestId", key)
    faults = _unknown_fields(model, data, set(known))
    try:
        message = model.model_validate({**data, **known})
    except ValidationError as error:
        faults += [
            Violation(".".join(map(str, fault["loc"])), fault["msg"].removeprefix("Value error, "))
            for fault in error.errors(include_url=False, include_input=False)
        ]
    if faults:
        told = "; ".join(f"{fault.field}: {fault.message}" for fault in faults[:3])
        raise Problem(ProblemType.INVALID_REQUEST, f"{told}.", tuple(faults))
    return message


def _nested(model: type[WireModel], data: dict[str, object]) -> dict[str, object]:
    """Let a start say its overrides flat, as the table's startGame does."""
    flat = {name: data[name] for name in names_of(StartOverrides) if name in data}
    if model is not StartRoomInput or not flat or "overrides" in data:
        return data
    return {**{name: data[name] for name in data if name not in flat}, "overrides": flat}


def names_of(model: type[WireModel]) -> set[str]:
    """Return a message's fields as the wire calls them."""
    return {field.alias or name for name, field in model.model_fields.items()}


def _unknown_fields(
    model: type[WireModel], data: dict[str, object], in_path: set[str], path: str = ""
) -> list[Violation]:
    """Return the fields that would be ignored, down into nested messages."""
    fields = {
        alias: field
        for name, field in model.model_fields.items()
        if (alias := field.alias or name) not in in_path
    }
    known = f"known are {', '.join(fields)}" if fields else "there are none"
    faults = [
        Violation(f"{path}{name}", f"is unknown; {known}") for name in data if name not in fields
    ]
    for name, value in data.items():
        annotation = fields[name].annotation if name in fields else None
        for part in (annotation, *getattr(annotation, "__args__", ())):
            if isinstance(part, type) and issubclass(part, WireModel) and isinstance(value, dict):
                faults += _unknown_fields(part, value, set(), f"{path}{name}.")
    return faults
