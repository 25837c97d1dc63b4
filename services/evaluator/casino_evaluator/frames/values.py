"""Read a state that may hold anything: every reader returns a default for what is not there."""

from collections.abc import Iterator
from typing import Any

from casino_evaluator.frames.amounts import MOST

Json = dict[str, Any]

_LONGEST_TEXT = 64
_DEEPEST = 6


def fields(value: object) -> Json:
    """Return an object, an empty one for everything else."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    """Return a list, an empty one for everything else."""
    return list(value) if isinstance(value, list | tuple) else []


def whole(value: object) -> int | None:
    """Return a whole number between -MOST and MOST, None for everything else."""
    if isinstance(value, float) and abs(value) <= MOST:  # false for a NaN
        value = int(value)
    return max(-MOST, min(MOST, value)) if type(value) is int else None


def text(value: object) -> str:
    """Return the beginning of a text, or of a whole number as text; else an empty one."""
    if isinstance(value, str):
        return value[:_LONGEST_TEXT]
    number = whole(value)
    return "" if number is None else str(number)


def by_player(value: object, player_id: str) -> Json:
    """Return the first of a list's objects that has this `player_id`, else an empty one."""
    for item in items(value):
        if fields(item).get("player_id") == player_id:
            return fields(item)
    return {}


def leaves(value: object, name: str = "", depth: int = _DEEPEST) -> Iterator[tuple[str, Any]]:
    """Yield everything in a JSON value that is no list or object, with the nearest key."""
    if isinstance(value, dict):
        inner = [(str(key), item) for key, item in value.items()]
    elif isinstance(value, list | tuple):
        inner = [(name, item) for item in value]
    else:
        yield name, value
        return
    if depth:
        for key, item in inner:
            yield from leaves(item, key, depth - 1)
