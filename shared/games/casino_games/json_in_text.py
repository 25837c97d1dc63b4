"""Find the JSON object in a language model's text, which may be hostile.

The time is bounded for any text: it is truncated, and failed attempts consume a budget.
"""

import re
from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder
from typing import Any, NamedTuple, NoReturn

LONGEST_TEXT = 65_536
"""In characters; longer texts are truncated."""
FENCE = "```"

_BUDGET = 16 * LONGEST_TEXT
"""Number of characters that all attempts together may read; usual texts need one or two passes."""
_FAILURE = 1024
"""Additional cost of a failed attempt, in characters: an error counts the lines before it."""
_OPENING = re.compile(r'\{(?=\s*["}])')
"""The start of an object; other braces are skipped without cost."""


class Found(NamedTuple):
    """An object and the position of its text, including the fence."""

    start: int
    value: dict[str, Any]


def find_object(text: str) -> Found | None:
    """Return the answer or None: fenced blocks first, and among them one with an `action_type`."""
    text = text[:LONGEST_TEXT]
    reader = _Reader()
    for objects in (_fenced(text, reader), reader.objects(text)):
        matches = list(objects)
        for start, value in matches:
            for candidate in _with_nested(value):
                if "action_type" in candidate:
                    return Found(start, candidate)
        if matches:
            return matches[0]
    return None


def _fenced(text: str, reader: "_Reader") -> Iterator[Found]:
    """Yield the objects of fenced blocks of any language."""
    position = 0
    for number, part in enumerate(text.split(FENCE)):
        if number % 2:
            for match in reader.objects(part):
                yield Found(position - len(FENCE), match.value)
        position += len(part) + len(FENCE)


def _with_nested(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield an object and its nested objects, outer ones first."""
    level: list[Any] = [value]
    while level:
        inner: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                yield item
                inner += item.values()
            elif isinstance(item, list):
                inner += item
        level = inner


class _Reader:
    """Reads objects until its budget is spent, which avoids quadratic time."""

    def __init__(self) -> None:
        self._budget = _BUDGET
        self._decoder = JSONDecoder(parse_constant=_refuse_constant)

    def objects(self, text: str) -> Iterator[Found]:
        opening = _OPENING.search(text)
        while opening and self._budget > 0:
            start = opening.start()
            try:
                value, end = self._decoder.raw_decode(text, start)
            except JSONDecodeError as error:
                end = start + 1
                self._budget -= error.pos - start + _FAILURE
            except (ValueError, RecursionError):  # an oversized number, NaN, or nested too deeply
                end = start + 1
                self._budget -= len(text) - start + _FAILURE
            else:
                self._budget -= end - start
                yield Found(start, value)
            opening = _OPENING.search(text, end)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
