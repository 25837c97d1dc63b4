"""Numbers of JSON values as protobuf's `Value` carries them: as doubles."""

import math
from typing import Any, Final

_EXACT: Final = 2.0**53  # doubles up to this size represent every integer
_SHAPES: Final = bytes.maketrans(b"123456789.E", b"000000000ee")
"""Maps every digit to 0, and the dot and both letters of an exponent to e."""
_UNEVEN: Final = b"0e"  # a digit before a fraction or an exponent, mapped
_LONG: Final = b"0" * 16  # as many digits as 2^53 has, mapped


def whole_numbers(node: Any) -> Any:
    """Return a JSON value that went through protobuf with its whole numbers as ints again.

    `40.0` and `40` are one number in JSON, but readers with integer types refuse the first. A
    reader of a fractional number takes both, so no schema is needed to decide.

    >>> whole_numbers({"pot": 200.0, "odds": [0.5, 1.0], "far": 1e300})
    {'pot': 200, 'odds': [0.5, 1], 'far': 1e+300}
    """
    if isinstance(node, float):
        return whole(node)
    if isinstance(node, dict):
        return {key: whole_numbers(value) for key, value in node.items()}
    if isinstance(node, list):
        return [whole_numbers(value) for value in node]
    return node


def whole(number: float) -> int | float:
    """Return a double as an int if it is a whole number that doubles represent exactly."""
    return int(number) if number.is_integer() and abs(number) <= _EXACT else number


def may_change(data: bytes) -> bool:
    """Return whether JSON may have a number that `carried` changes.

    Such a number has a fraction, an exponent or 16 digits; text that looks like one counts, too.

    >>> may_change(b'{"pot":40}'), may_change(b'{"pot":40.0}'), may_change(b'{"pot":4E+1}')
    (False, True, True)
    """
    shapes = data.translate(_SHAPES)
    return _UNEVEN in shapes or _LONG in shapes


def carried(node: Any) -> Any:
    """Return a JSON value as a reader gets it that went through protobuf and `whole_numbers`.

    Objects and lists in which nothing changes are returned themselves, so that values share them.
    Raises ValueError for NaN and the infinities, OverflowError for an integer that no double is
    near, TypeError for what is no JSON value.

    >>> carried({"pot": 200.0, "far": 10**20, "cards": ("As", "Kd")})
    {'pot': 200, 'far': 1e+20, 'cards': ['As', 'Kd']}
    """
    if node is None or isinstance(node, bool | str):
        return node
    if isinstance(node, int) and abs(node) <= _EXACT:
        return node
    if isinstance(node, int | float):
        if not math.isfinite(number := float(node)):
            raise ValueError("JSON has finite numbers only")
        return whole(number)
    if isinstance(node, dict):
        if not all(isinstance(key, str) for key in node):
            raise TypeError("the keys of a JSON object are strings")
        items = {key: carried(value) for key, value in node.items()}
        return node if all(items[key] is value for key, value in node.items()) else items
    if isinstance(node, list | tuple):
        values = [carried(value) for value in node]
        is_same = isinstance(node, list) and all(map(_is, values, node))
        return node if is_same else values
    raise TypeError(f"{type(node).__name__} is not a JSON value")


def _is(value: Any, other: Any) -> bool:
    return value is other
