"""Which JSON of others is accepted, how much of it is kept or shown, and what its numbers become.

A hostile reply may be so large, so deep or have so many values that parsing, validating, storing
or showing it costs more than the call. Honest agents stay far below every limit.
Numbers are as protobuf's `Value` carries them: doubles.
"""

import math
import re
from dataclasses import dataclass
from typing import Any, Final

import orjson

from casino_agentkit.protocol import BODY_LIMIT

DEEPEST: Final = 32  # maximum nesting depth of a value that is used, stored or forwarded
SHOWN_TEXT: Final = 300
"""Maximum length of an untrusted text in an error, a log line or a refusal, in characters."""

_CONTAINERS: Final = frozenset({dict, list})
_NAN: Final = re.compile(r"[:\[,]\s*(NaN|-?Infinity)\s*[,\]}]")
"""What Python's and others' encoders write for numbers that JSON does not have."""


@dataclass(frozen=True)
class ReplyBounds:
    """Limits on how much of a reply is read and kept, in bytes; `text` is in characters."""

    body: int = BODY_LIMIT  # size of the whole reply
    beyond_ascii: int = 262_144
    """Size of a reply with characters beyond ASCII: its text has up to 4 bytes a character."""
    openings: int = 20_000
    """Number of `{` and `[` in a reply: each becomes an object for the garbage collector."""
    commas: int = 100_000  # number of `,` in a reply: approximately the number of values
    converted: int = 4_000
    """Number of values in a reply that the SDK's client converts, at 5 us each or more."""
    converted_body: int = 262_144
    """Size of a reply that the SDK's client converts; this much text takes it 10 ms."""
    deepest: int = DEEPEST
    text: int = 65_536  # length of the text in a reply that is searched for JSON
    candidates: int = 32  # number of parts and pieces of text that are tried as the output
    echoed: int = 4_096  # size of a refused answer that is sent back to its author

    def parse(self, body: bytes | bytearray) -> Any:
        """Parse JSON. Raises ValueError; its message is a predicate of "the reply"."""
        if len(body) > self.body:
            raise ValueError(f"is larger than {self.body} bytes")
        if len(body) > self.beyond_ascii and (not body.isascii() or b"\\u" in body):
            raise ValueError(
                f"has characters beyond ASCII, and is larger than {self.beyond_ascii} bytes"
            )
        if len(body) > self.openings:  # a shorter body cannot exceed the limits
            openings = body.count(b"{") + body.count(b"[")
            if openings > self.openings or body.count(b",") > self.commas:
                raise ValueError("contains too many values")
        try:
            return orjson.loads(body)
        except orjson.JSONDecodeError as error:
            raise ValueError(_why_no_json(body)) from error

    def is_too_deep(self, value: Any) -> bool:
        return is_deeper(value, self.deepest)

    def kept(self, value: Any) -> Any:
        """Return a refused answer if it is small enough to be sent back, otherwise None."""
        if self.is_too_deep(value) or is_longer(value, self.echoed):
            return None
        try:
            size = len(orjson.dumps(value))
        except TypeError:  # for example an integer above 64 bits
            return None
        return value if size <= self.echoed else None


def nan_in(text: str) -> str | None:
    """Return the first NaN or Infinity that stands as a value, None if there is none.

    >>> nan_in('{"amount": NaN}'), nan_in('{"say": "NaN"}')
    ('NaN', None)
    """
    match = _NAN.search(text)
    return match[1] if match else None


def _why_no_json(body: bytes | bytearray) -> str:
    """Return why a body is no JSON, as a predicate of "the reply"."""
    if not body:
        return "is empty"
    name = nan_in(body.decode(errors="replace"))
    return f"is not JSON: {name} is no JSON number" if name else "is not JSON"


def is_deeper(value: Any, levels: int) -> bool:
    """Return whether a JSON value has more than `levels` levels of objects and lists.

    >>> is_deeper({"a": [1]}, 2), is_deeper({"a": [[1]]}, 2)
    (False, True)
    """
    level = [value] if type(value) in _CONTAINERS else []
    for _ in range(levels):
        if not level:
            return False
        level = [
            item
            for container in level
            for item in (container.values() if type(container) is dict else container)
            if type(item) in _CONTAINERS
        ]
    return bool(level)


def values_in(value: Any, at_most: int) -> int:
    """Count the values in a JSON value, itself included; stops soon after `at_most`."""
    count, level = 1, [value]
    while level and count <= at_most:
        inner: list[Any] = []
        for container in level:
            if isinstance(container, dict):
                inner += container.values()
            elif isinstance(container, list):
                inner += container
        count += len(inner)
        level = inner
    return count


def is_longer(value: Any, at_most: int) -> bool:
    """Return whether the texts of a JSON value have more than `at_most` characters; copies nothing.

    >>> is_longer({"a": ["bcd"]}, 4), is_longer({"a": ["bcd"]}, 3)
    (False, True)
    """
    length, level = 0, [value]
    while level and length <= at_most:
        inner: list[Any] = []
        for item in level:
            if isinstance(item, str):
                length += len(item)
            elif isinstance(item, dict):
                inner += item.keys()
                inner += item.values()
            elif isinstance(item, list):
                inner += item
        level = inner
    return length > at_most


def shown(text: str, limit: int = SHOWN_TEXT) -> str:
    r"""Return an untrusted text as one printable line of at most `limit` characters.

    Control characters, line breaks and bidirectional formatting become spaces.

    >>> shown("so\x1b[31m near\u202e")
    'so [31m near'
    """
    start = text[: 2 * limit]
    clean = "".join(letter if letter.isprintable() else " " for letter in start)
    return " ".join(clean.split())[:limit].rstrip()


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
