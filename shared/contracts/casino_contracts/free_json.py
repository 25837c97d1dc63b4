"""JSON whose shape is somebody else's, within bounds that every reader and writer can take."""

from typing import Annotated, Any

from pydantic import AfterValidator

from casino_contracts.numbers import MAX_SAFE

DEEPEST = 32
"""So many objects and arrays may stand within each other, the outermost counted."""


def fault_of(value: object) -> str | None:
    """Return what is wrong with a JSON value, None if it can be taken.

    It goes down level by level, without recursion, and stops below the deepest level that is
    allowed: a value that is nested 100,000 deep costs no more than its upper levels.

    >>> fault_of({"stack": float("nan")})
    'holds a number that is not between -9007199254740991 and 9007199254740991'
    """
    level: list[Any] = [value]
    for levels_left in range(DEEPEST, -1, -1):
        below: list[Any] = []
        for one in level:
            kind = type(one)  # exactly these come out of JSON
            if kind is str:
                continue
            if kind is int or kind is float:
                if not -MAX_SAFE <= one <= MAX_SAFE:  # NaN is neither
                    return f"holds a number that is not between {-MAX_SAFE} and {MAX_SAFE}"
            elif kind is dict or kind is list:
                if not levels_left:
                    return f"must be nested at most {DEEPEST} levels deep"
                below += one.values() if kind is dict else one
        if not below:
            break
        level = below
    return None


def _bounded(value: dict[str, Any]) -> dict[str, Any]:
    if fault := fault_of(value):
        raise ValueError(fault)
    return value


FreeObject = Annotated[dict[str, Any], AfterValidator(_bounded)]
"""A JSON object: nested at most 32 levels deep, its numbers finite and within ±(2^53 - 1)."""
