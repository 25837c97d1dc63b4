"""Fixed parts and examples of the OpenAPI document; `openapi_parts.json` has them."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from casino_contracts import WireModel

from casino_lobby.problem_types import ProblemType


@cache
def parts() -> dict[str, Any]:
    """Return descriptions and headers by name, and examples: `messages` by model, and others."""
    data: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_bytes())
    return data


def message_example(model: type[WireModel]) -> dict[str, Any]:
    """Return the example of a response, or of a request body without its path parameters."""
    example: dict[str, Any] = parts()["messages"][model.__name__]
    return example


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
