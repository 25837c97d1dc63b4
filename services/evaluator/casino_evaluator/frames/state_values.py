"""Read a state that may hold anything, and write amounts in little room.

Every reader returns a default for what is not there. Amounts are exact where there is room, else
with a unit (1K2 is 1,2xx).
"""

from collections.abc import Iterator
from typing import Any

MOST = 10**18
"""Larger amounts are shown as this one."""

_UNITS = "KMGTPE"
_THOUSAND = 1000
Json = dict[str, Any]
_LONGEST_TEXT = 64
_DEEPEST = 6


def short(amount: int, room: int) -> str:
    """Return an amount in at most `room` characters, rounded towards 0.

    A unit stands where the decimal point would be.

    >>> short(980, 3), short(1234, 3), short(123_456, 3), short(-2_500_000, 4)
    ('980', '1K2', '0M1', '-2M5')
    """
    if room <= 0:
        return ""
    if amount < 0:
        return f"-{short(-amount, room - 1)}"
    amount = min(amount, MOST)
    exact = str(amount)
    if len(exact) <= room:
        return exact
    size = 1
    for unit in _UNITS:
        size *= _THOUSAND
        whole, rest = divmod(amount, size)
        text = f"{whole}{unit}"
        if len(text) <= room:
            digits = f"{rest:0{len(str(size)) - 1}d}"[: room - len(text)] if rest else ""
            return text + digits
    return "+" * room


def fields(value: object) -> Json:
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
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
