"""Fixed parts and examples of the OpenAPI document.

`make reference` writes those of messages from their golden files.
"""

import json
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any, Final

from casino_contracts import WireModel

from casino_lobby.problem_types import ProblemType

EXAMPLES: Final = Path(__file__).with_name("openapi_examples.json")


@cache
def parts() -> dict[str, Any]:
    """Return descriptions and headers by name, and examples of what is no message."""
    data: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_bytes())
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
