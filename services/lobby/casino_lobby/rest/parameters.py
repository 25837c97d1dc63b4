"""Query parameters: what an operation takes, said once for the one who reads and who documents."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_plus

from casino_agentkit import Violation
from starlette.requests import Request

from casino_lobby.problems.problem import Problem, ProblemType


def faulty(field: str, message: str) -> Problem:
    """Return the problem of one faulty part of a request."""
    return Problem(ProblemType.INVALID_REQUEST, f"{field} {message}.", (Violation(field, message),))


@dataclass(frozen=True)
class WholeParameter:
    """A whole number, in plain digits."""

    name: str
    description: str
    at_least: int
    at_most: int
    default: int | None = None

    def read(self, request: Request) -> int:
        """Return what was asked for, or the default; raises Problem."""
        found = self.find(request)
        return (self.default or 0) if found is None else found

    def find(self, request: Request) -> int | None:
        """Return what was asked for, None when nothing was; raises Problem."""
        text = request.query_params.get(self.name)
        if text is None:
            return None
        is_number = text.isascii() and text.isdigit() and len(text) <= len(str(self.at_most))
        if not is_number or not self.at_least <= int(text) <= self.at_most:
            raise faulty(
                self.name, f"must be a whole number from {self.at_least} to {self.at_most}"
            )
        return int(text)

    def schema(self) -> dict[str, Any]:
        """Return its JSON Schema."""
        default = {} if self.default is None else {"default": self.default}
        return {"type": "integer", "minimum": self.at_least, "maximum": self.at_most, **default}


@dataclass(frozen=True)
class ChoiceParameter:
    """One of a few words."""

    name: str
    description: str
    choices: Sequence[str]
    default: str | None = None

    def read(self, request: Request) -> str | None:
        """Return what was asked for, or the default; raises Problem."""
        text = request.query_params.get(self.name, self.default)
        if text is not None and text not in self.choices:
            raise faulty(self.name, f"must be one of {', '.join(self.choices)}")
        return text

    def schema(self) -> dict[str, Any]:
        """Return its JSON Schema."""
        default = {} if self.default is None else {"default": self.default}
        return {"type": "string", "enum": list(self.choices), **default}


@dataclass(frozen=True)
class TextParameter:
    """Some text without control characters."""

    name: str
    description: str
    at_most: int = 128
    pattern: str = r"^[^\x00-\x1f\x7f]+$"

    def read(self, request: Request) -> str | None:
        """Return what was asked for, or None; raises Problem."""
        text = request.query_params.get(self.name)
        if text is None:
            return None
        if not 1 <= len(text) <= self.at_most:
            raise faulty(self.name, f"must have from 1 to {self.at_most} characters")
        if re.fullmatch(self.pattern, text) is None:
            raise faulty(self.name, f"must match {self.pattern}")
        return text

    def schema(self) -> dict[str, Any]:
        """Return its JSON Schema."""
        return {
            "type": "string",
            "minLength": 1,
            "maxLength": self.at_most,
            "pattern": self.pattern,
        }


Parameter = WholeParameter | ChoiceParameter | TextParameter


def check_query(request: Request, parameters: Sequence[Parameter]) -> None:
    """Raise Problem for a query that is unreadable, or would be ignored or misread in part."""
    try:
        unquote_plus(request.scope["query_string"].decode("ascii"), errors="strict")
    except UnicodeDecodeError as error:
        raise faulty("query", "must be UTF-8, percent-encoded") from error
    known = {parameter.name for parameter in parameters}
    given = [name for name, _ in request.query_params.multi_items()]
    for name in given:
        if name not in known:
            told = f"known are {', '.join(sorted(known))}" if known else "there are none here"
            raise faulty(name[:64], f"is unknown; {told}")
        if given.count(name) > 1:
            raise faulty(name, "is given more than once")
    for parameter in parameters:
        parameter.read(request)
