"""What is signed: canonical JSON (RFC 8785, JCS), in the encoding of JOSE signatures."""

import base64
import binascii
import math
from decimal import Decimal
from typing import Any, Final

import orjson

DEEPEST: Final = 64  # maximum nesting depth of objects and lists
_SAFE: Final = 2**53 - 1
_LEAST_PLAIN, _MOST_PLAIN = 1e-6, 1e21
"""ECMAScript writes numbers in this range without an exponent."""


def canonical_json(value: Any, most_values: int | None = None) -> bytes:
    """Return the canonical form of a JSON value.

    Raises ValueError for a number that is not finite, an integer beyond 2^53 - 1, half a surrogate
    pair, a key that is not a string, more than `DEEPEST` levels, or more than `most_values` values.

    >>> canonical_json({"b": 1.0, "a": "é"}).decode()
    '{"a":"é","b":1}'
    """
    writer = _Writer(math.inf if most_values is None else most_values)
    writer.write(value, DEEPEST)
    return bytes(writer.written)


class _Writer:
    """Writes a canonical form, up to a number of values."""

    def __init__(self, most_values: float) -> None:
        self.written = bytearray()  # a list of small parts would take 100 times the card
        self._left = most_values

    def write(self, value: Any, levels: int) -> None:
        """Append a value that may have at most `levels` levels."""
        if isinstance(value, str):
            self.written += _text(value)
        elif isinstance(value, dict):
            self._enter(value, levels)
            self._write_object(value, levels - 1)
        elif isinstance(value, list):
            self._enter(value, levels)
            self._write_list(value, levels - 1)
        elif value is None or isinstance(value, bool):
            self.written += orjson.dumps(value)
        elif isinstance(value, int):
            if abs(value) > _SAFE:
                raise ValueError("holds an integer beyond 2^53 - 1")
            self.written += b"%d" % value
        elif isinstance(value, float):
            self.written += _number(value).encode()
        else:
            raise ValueError(f"holds a {type(value).__name__}, which JSON does not have")

    def _enter(self, value: dict[Any, Any] | list[Any], levels: int) -> None:
        self._left -= len(value)
        if self._left < 0:
            raise ValueError("holds too many values")
        if not levels:
            raise ValueError(f"is nested more than {DEEPEST} levels deep")

    def _write_object(self, value: dict[Any, Any], levels: int) -> None:
        mark = b"{"
        for key in sorted(value, key=_utf16):
            self.written += mark + _text(key) + b":"
            self.write(value[key], levels)
            mark = b","
        self.written += b"}" if value else b"{}"

    def _write_list(self, value: list[Any], levels: int) -> None:
        mark = b"["
        for item in value:
            self.written += mark
            self.write(item, levels)
            mark = b","
        self.written += b"]" if value else b"[]"


def _utf16(key: Any) -> bytes:
    """Return the sort key of an object's key: its UTF-16 code units."""
    if not isinstance(key, str):
        raise ValueError("has a key that is not a string")  # noqa: TRY004  a bad value like the others
    return key.encode("utf-16-be")


def _text(text: str) -> bytes:
    """Return a string as JSON; orjson escapes exactly as RFC 8785 requires."""
    try:
        return orjson.dumps(text)
    except orjson.JSONEncodeError as error:
        raise ValueError("holds half a surrogate pair") from error


def _number(number: float) -> str:
    if not math.isfinite(number):
        raise ValueError("holds a number that is not finite")
    if number == 0:
        return "0"  # -0 too
    shortest = repr(number)
    if _LEAST_PLAIN <= abs(number) < _MOST_PLAIN:
        return format(Decimal(shortest), "f").removesuffix(".0")
    return shortest.replace("e-0", "e-")


ALGORITHM: Final = "ES256"
_STANDARD: Final = bytes.maketrans(b"-_", b"+/")


def encoded(content: bytes) -> str:
    """Encode bytes as base64url without padding."""
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    """Decode base64url without padding. Raises ValueError."""
    if not text.isascii() or "+" in text or "/" in text or "=" in text:
        raise ValueError("is not base64url")
    standard = text.encode().translate(_STANDARD) + b"=" * (-len(text) % 4)
    return binascii.a2b_base64(standard, strict_mode=True)
