"""Fields of bodies. Each raises RequestRefused with the field and what it must be."""

from typing import Any, Final

import orjson

from casino_evaluator.errors import Code, RequestRefused
from casino_evaluator.rest.request import invalid

Json = dict[str, Any]

JSON_LIMIT: Final = 16_384
"""Maximum size of free JSON of a client, in bytes without spaces."""
_EDGE: Final = 64
_MOST_TAGS: Final = 32


def text(fields: Json, name: str, limit: int = 128) -> str | None:
    """Return a text, None if it is absent or null."""
    value = fields.get(name)
    if value is not None and not (isinstance(value, str) and len(value) <= limit):
        raise invalid(f"{name}: must be a text of at most {limit} characters")
    return value


def game_id(fields: Json) -> str:
    """Return the game of a command."""
    value = text(fields, "game_id")
    if not value:
        raise RequestRefused(Code.VALIDATION_ERROR, "missing `game_id` in action data")
    return value


def free_json(fields: Json, name: str) -> Any:
    """Return a value of any type, at most 16 KiB."""
    value = fields.get(name)
    if value is not None and len(orjson.dumps(value)) > JSON_LIMIT:
        raise invalid(f"{name}: must have at most {JSON_LIMIT} bytes as JSON")
    return value


def coordinate(fields: Json, name: str) -> int:
    """Return a column or row of a frame."""
    value = fields.get(name)
    if type(value) is not int or not 0 <= value < _EDGE:
        raise invalid(f"{name}: must be a whole number from 0 to {_EDGE - 1}")
    return value


def flag(fields: Json, name: str) -> bool:
    """Return a boolean, false if it is absent or null."""
    value = fields.get(name)
    if value is not None and not isinstance(value, bool):
        raise invalid(f"{name}: must be true or false")
    return bool(value)


def tags(fields: Json) -> tuple[str, ...]:
    """Return the tags of a scorecard."""
    value = fields.get("tags")
    if value is None:
        return ()
    is_list = isinstance(value, list) and len(value) <= _MOST_TAGS
    if not is_list or not all(isinstance(tag, str) and len(tag) <= 128 for tag in value):  # noqa: PLR2004
        raise invalid(f"tags: must be a list of at most {_MOST_TAGS} texts of 128 characters")
    return tuple(value)


def number(text: str | None, name: str, default: int, least: int, most: int) -> int:
    """Return a whole number of a query."""
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 16 and least <= int(text) <= most):  # noqa: PLR2004
        raise invalid(f"{name}: must be a whole number from {least} to {most}")
    return int(text)
