"""Reads requests of the REST API: query and path parameters, and bodies."""

import re
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, TypeVar
from urllib.parse import unquote_plus

import orjson
from casino_agentkit import Violation
from casino_agentkit.violations import violations_of
from casino_contracts import MAX_SAFE, StartOverrides, StartRoomInput, WireModel
from casino_contracts.base import Identifier
from pydantic import TypeAdapter, ValidationError
from starlette.requests import Request

from casino_lobby.problem import Problem, ProblemType

ModelT = TypeVar("ModelT", bound=WireModel)
IDEMPOTENCY_KEY = "Idempotency-Key"
IF_MATCH = "If-Match"
WITH_BODY = frozenset({"POST", "PUT"})
"""Methods whose requests have a message."""
_IDENTIFIER = TypeAdapter[str](Identifier)
_JSON_MEDIA_TYPES = frozenset({"", "application/json", "application/x-www-form-urlencoded"})
"""Media types parsed as JSON: an absent one, JSON, and the default of curl."""


def invalid(field: str, message: str) -> Problem:
    return Problem(ProblemType.INVALID_REQUEST, f"{field} {message}.", (Violation(field, message),))


def whole_number(text: str, at_least: int, at_most: int) -> int | None:
    """Return the number that a text of ASCII digits is, None if it is none or out of bounds."""
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(at_most))
    return int(text) if is_number and at_least <= int(text) <= at_most else None


@dataclass(frozen=True)
class WholeParameter:
    """A whole number in ASCII digits."""

    name: str
    description: str
    _: KW_ONLY
    at_least: int
    at_most: int
    default: int | None = None

    def read(self, request: Request) -> int:
        """0 if it is absent without a default; raises Problem."""
        number = self.find(request)
        return (self.default or 0) if number is None else number

    def find(self, request: Request) -> int | None:
        """None if it is absent; raises Problem."""
        text = request.query_params.get(self.name)
        if text is None:
            return None
        number = whole_number(text, self.at_least, self.at_most)
        if number is None:
            raise invalid(
                self.name, f"must be a whole number from {self.at_least} to {self.at_most}"
            )
        return number

    def schema(self) -> dict[str, Any]:
        default = {} if self.default is None else {"default": self.default}
        return {"type": "integer", "minimum": self.at_least, "maximum": self.at_most, **default}


@dataclass(frozen=True)
class ChoiceParameter:
    """One of a fixed set of words."""

    name: str
    description: str
    _: KW_ONLY
    choices: Sequence[str]
    default: str | None = None

    def read(self, request: Request) -> str | None:
        text = request.query_params.get(self.name, self.default)
        if text is not None and text not in self.choices:
            raise invalid(self.name, f"must be one of {', '.join(self.choices)}")
        return text

    def schema(self) -> dict[str, Any]:
        default = {} if self.default is None else {"default": self.default}
        return {"type": "string", "enum": list(self.choices), **default}


@dataclass(frozen=True)
class TextParameter:
    """A text that matches a pattern; by default without control characters."""

    name: str
    description: str
    _: KW_ONLY
    at_most: int = 128
    pattern: str = r"^[^\x00-\x1f\x7f]+$"

    def read(self, request: Request) -> str | None:
        text = request.query_params.get(self.name)
        if text is None:
            return None
        if not 1 <= len(text) <= self.at_most:
            raise invalid(self.name, f"must have from 1 to {self.at_most} characters")
        if re.fullmatch(self.pattern, text) is None:
            raise invalid(self.name, f"must match {self.pattern}")
        return text

    def schema(self) -> dict[str, Any]:
        return {
            "type": "string",
            "minLength": 1,
            "maxLength": self.at_most,
            "pattern": self.pattern,
        }


Parameter = WholeParameter | ChoiceParameter | TextParameter


def check_query(request: Request, parameters: Sequence[Parameter]) -> None:
    """Raise Problem for undecodable, unknown, repeated or invalid query parameters."""
    try:
        unquote_plus(request.scope["query_string"].decode("ascii"), errors="strict")
    except UnicodeDecodeError as error:
        raise invalid("query", "must be UTF-8, percent-encoded") from error
    allowed = {parameter.name for parameter in parameters}
    names = [name for name, _ in request.query_params.multi_items()]
    for name in names:
        if name not in allowed:
            raise invalid(
                name[:64], f"is unknown; allowed are {', '.join(sorted(allowed)) or 'none'}"
            )
        if names.count(name) > 1:
            raise invalid(name, "occurs more than once")
    for parameter in parameters:
        parameter.read(request)


def path_parameter(request: Request, name: str) -> str:
    text: str = request.path_params[name]
    return text


def path_identifier(request: Request, name: str) -> str:
    """Return a path parameter that a new resource may have as its id; raises Problem."""
    try:
        return _IDENTIFIER.validate_python(path_parameter(request, name))
    except ValidationError as error:
        (fault, *_) = violations_of(error, data=None, at_most=1)
        raise invalid(name, fault.message) from error


def path_number(request: Request, name: str) -> int:
    """Return a path parameter that is a whole number of at least 1; raises Problem."""
    number = whole_number(path_parameter(request, name), 1, MAX_SAFE)
    if number is None:
        raise invalid(name, "must be a whole number from 1")
    return number


def check_media_type(request: Request) -> None:
    """Raise Problem if the `Content-Type` is not accepted as JSON."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in _JSON_MEDIA_TYPES:
        raise Problem(
            ProblemType.UNSUPPORTED_MEDIA_TYPE,
            f"The media type {media_type[:100]} is not supported: send application/json.",
        )


async def read_command(request: Request, model: type[ModelT]) -> ModelT:
    """Read the body of POST and PUT, and the path parameters of the model; raises Problem."""
    data = await parsed_body(request) if request.method in WITH_BODY else {}
    return message_of(model, data, request)


async def parsed_body(request: Request) -> dict[str, Any]:
    """Return the JSON object of a request, {} without a body; raises Problem."""
    content = await request.body()
    try:
        data = orjson.loads(content) if content else {}
    except orjson.JSONDecodeError as error:
        raise Problem(ProblemType.INVALID_JSON, f"The body is not valid JSON: {error}.") from error
    if not isinstance(data, dict):
        raise Problem(ProblemType.INVALID_JSON, "The body must be a JSON object.")
    return data


def message_of(model: type[ModelT], data: dict[str, Any], request: Request) -> ModelT:
    """Return the message of fields and the path parameters that the model has; raises Problem."""
    fields = names_of(model)
    in_path = {name: text for name, text in request.path_params.items() if name in fields}
    data = _nested(model, data)
    key = request.headers.get(IDEMPOTENCY_KEY)
    if key and "requestId" in names_of(model):
        data.setdefault("requestId", key)
    faults = _unknown_fields(model, data, set(in_path))
    try:
        message = model.model_validate(values := {**data, **in_path})
    except ValidationError as error:
        faults += violations_of(error, data=values, at_most=None)
    if faults:
        detail = "; ".join(f"{fault.field}: {fault.message}" for fault in faults[:3])
        raise Problem(ProblemType.INVALID_REQUEST, f"{detail}.", tuple(faults))
    return message


def _nested(model: type[WireModel], data: dict[str, Any]) -> dict[str, Any]:
    """Move top-level overrides of a `StartRoomInput` into its field `overrides`."""
    flat = {name: data[name] for name in names_of(StartOverrides) if name in data}
    if model is not StartRoomInput or not flat or "overrides" in data:
        return data
    return {**{name: data[name] for name in data if name not in flat}, "overrides": flat}


def names_of(model: type[WireModel]) -> set[str]:
    return {field.alias or name for name, field in model.model_fields.items()}


def _unknown_fields(
    model: type[WireModel], data: dict[str, Any], in_path: set[str], path: str = ""
) -> list[Violation]:
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
            if isinstance(part, type) and issubclass(part, WireModel):
                for place, item in _objects(value, f"{path}{name}."):
                    faults += _unknown_fields(part, item, set(), place)
    return faults


def _objects(value: Any, path: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the object that a field has, or those of its list, each with its path."""
    items = [(path, value)]
    if isinstance(value, list):
        items = [(f"{path}{at}.", item) for at, item in enumerate(value)]
    return [(place, item) for place, item in items if isinstance(item, dict)]
