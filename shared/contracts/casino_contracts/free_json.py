"""JSON values of any shape, bounded in depth and number range."""

from typing import Annotated, Any

from pydantic import AfterValidator

from casino_contracts.numbers import MAX_SAFE

DEEPEST = 32
"""Maximum nesting depth of objects and arrays, the outermost included."""


def fault_of(value: object) -> str | None:
    """Return what is wrong with a JSON value, None if it is acceptable.

    Walks level by level, without recursion, and stops below the deepest allowed level. A value
    nested 100,000 levels deep costs no more than its upper levels.

    >>> fault_of({"stack": float("nan")})
    'holds a number that is not between -9007199254740991 and 9007199254740991'
    """
    level: list[Any] = [value]
    least, most = -MAX_SAFE, MAX_SAFE
    for levels_left in range(DEEPEST, -1, -1):
        below: list[Any] = []
        for item in level:
            kind = type(item)  # a JSON parser returns exactly these types
            if kind is str:
                continue
            if kind is int or kind is float:
                if not least <= item <= most:  # also true of NaN
                    return f"holds a number that is not between {-MAX_SAFE} and {MAX_SAFE}"
            elif kind is dict or kind is list:
                if not levels_left:
                    return f"must be nested at most {DEEPEST} levels deep"
                below += item.values() if kind is dict else item
        if not below:
            break
        level = below
    return None


def _bounded(value: dict[str, Any]) -> dict[str, Any]:
    if fault := fault_of(value):
        raise ValueError(fault)
    return value


FreeObject = Annotated[dict[str, Any], AfterValidator(_bounded)]
"""A JSON object, nested at most 32 levels deep, with finite numbers within ±(2^53 - 1)."""
