"""Limits of what other agents reply: size, nesting, and what of it is kept or shown. Pure.

A reply may be hostile: so large, so deep or so finely divided that parsing, checking, storing or
showing it costs more than the call. Every limit here is far above what honest agents send.
"""

import re
from dataclasses import dataclass
from typing import Any, Final

import orjson

from casino_agentkit.wire import BODY_LIMIT

DEEPEST: Final = 32
"""Levels of objects and lists within a value that is used, kept or passed on."""
SHOWN_TEXT: Final = 300
"""Characters of a foreign text that are kept in an error, a log line or a refusal."""

_CONTAINERS: Final = frozenset({dict, list})
_REASON: Final = re.compile(r"[A-Z][A-Z0-9_]{0,63}")
_KEY: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_ID: Final = re.compile(r"[\x21-\x7e]{1,256}")


@dataclass(frozen=True)
class ReplyBounds:
    """How much of a reply is read, and how much of it is kept.

    Sizes are bytes, except `text`, which counts characters.
    """

    body: int = BODY_LIMIT
    """The whole reply."""
    openings: int = 20_000
    """`{` and `[` in a reply: each one is an object for the garbage collector."""
    commas: int = 100_000
    """`,` in a reply: about as many values."""
    converted: int = 4_000
    """Values in a reply that the SDK's client converts: it takes 5 us for each, and more ..."""
    converted_body: int = 262_144
    """... and for so many bytes of text it takes 10 ms."""
    deepest: int = DEEPEST
    text: int = 65_536
    """Of all texts in a reply, so much is searched for JSON."""
    candidates: int = 32
    """So many parts and pieces of text are tried as the output."""
    echoed: int = 4_096
    """A refused answer that is larger is not sent back to its author."""

    def parse(self, body: bytes) -> Any:
        """Return the JSON value of a reply.

        Raises ValueError with words that follow "the reply".
        """
        if len(body) > self.body:
            raise ValueError(f"is larger than {self.body} bytes")
        if len(body) > self.openings:  # else it cannot hold too many
            openings = body.count(b"{") + body.count(b"[")
            if openings > self.openings or body.count(b",") > self.commas:
                raise ValueError("holds too many values")
        try:
            return orjson.loads(body)
        except orjson.JSONDecodeError as error:
            raise ValueError("is no JSON") from error

    def is_too_deep(self, value: Any) -> bool:
        """Tell whether a JSON value is nested too deep to be used."""
        return is_deeper(value, self.deepest)

    def kept(self, value: Any) -> Any:
        """Return a refused answer if it is small enough to be sent back, else None."""
        if self.is_too_deep(value) or is_longer(value, self.echoed):
            return None
        try:
            size = len(orjson.dumps(value))
        except TypeError:  # an integer that is too long, say
            return None
        return value if size <= self.echoed else None


def is_deeper(value: Any, levels: int) -> bool:
    """Tell whether a JSON value has more than so many levels of objects and lists.

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
    """Count the values in a JSON value, itself included; stops a little above `at_most`."""
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
    """Tell whether the texts in a JSON value have more characters than that, without a copy of it.

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
    r"""Return a foreign text as one printable line of at most `limit` characters.

    Control characters, line breaks, and what changes the direction of writing become blanks.

    >>> shown("so\x1b[31m near\u202e")
    'so [31m near'
    """
    start = text[: 2 * limit]
    clean = "".join(letter if letter.isprintable() else " " for letter in start)
    return " ".join(clean.split())[:limit].rstrip()


def reason_of(text: object) -> str:
    """Return the reason of a refusal, "" where it is no upper-case word."""
    return text if isinstance(text, str) and _REASON.fullmatch(text) else ""


def is_key(text: object) -> bool:
    """Tell whether a text can be the name of a detail of a refusal."""
    return isinstance(text, str) and _KEY.fullmatch(text) is not None


def is_id(text: object) -> bool:
    """Tell whether a text can be the id of a task or a context: printable, at most 256 long."""
    return isinstance(text, str) and _ID.fullmatch(text) is not None
