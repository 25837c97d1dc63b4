"""Types of query parameters: parsing, validation and JSON Schema."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_plus

from casino_agentkit import Violation
from starlette.requests import Request

from casino_lobby.problem import Problem
from casino_lobby.problem_types import ProblemType


def invalid(field: str, message: str) -> Problem:
    """Return the problem for one invalid field or parameter."""
    return Problem(ProblemType.INVALID_REQUEST, f"{field} {message}.", (Violation(field, message),))


def whole_number(text: str, at_least: int, at_most: int) -> int | None:
    """Return the number that a text of ASCII digits is, None if it is none or out of bounds."""
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(at_most))
    return int(text) if is_number and at_least <= int(text) <= at_most else None


@dataclass(frozen=True, kw_only=True)
class WholeParameter:
    """A whole number in ASCII digits."""

    name: str
    description: str
    at_least: int
    at_most: int
    default: int | None = None

    def read(self, request: Request) -> int:
        """Return the value, or the default (0 if there is none); raises Problem."""
        number = self.find(request)
        return (self.default or 0) if number is None else number

    def find(self, request: Request) -> int | None:
        """Return the value, None if it is absent; raises Problem."""
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
        """Return the JSON Schema of the value."""
        default = {} if self.default is None else {"default": self.default}
        return {"type": "integer", "minimum": self.at_least, "maximum": self.at_most, **default}


@dataclass(frozen=True, kw_only=True)
class ChoiceParameter:
    """One of a fixed set of words."""

    name: str
    description: str
    choices: Sequence[str]
    default: str | None = None

    def read(self, request: Request) -> str | None:
        """Return the value, or the default; raises Problem."""
        text = request.query_params.get(self.name, self.default)
        if text is not None and text not in self.choices:
            raise invalid(self.name, f"must be one of {', '.join(self.choices)}")
        return text

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the value."""
        default = {} if self.default is None else {"default": self.default}
        return {"type": "string", "enum": list(self.choices), **default}


@dataclass(frozen=True, kw_only=True)
class TextParameter:
    """A text that matches a pattern; by default without control characters."""

    name: str
    description: str
    at_most: int = 128
    pattern: str = r"^[^\x00-\x1f\x7f]+$"

    def read(self, request: Request) -> str | None:
        """Return the value, None if it is absent; raises Problem."""
        text = request.query_params.get(self.name)
        if text is None:
            return None
        if not 1 <= len(text) <= self.at_most:
            raise invalid(self.name, f"must have from 1 to {self.at_most} characters")
        if re.fullmatch(self.pattern, text) is None:
            raise invalid(self.name, f"must match {self.pattern}")
        return text

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the value."""
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
