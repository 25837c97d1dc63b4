"""The JSON object in what a language model wrote: prose, fences, half an object, or an attack.

The time is bounded whatever the text: it is cut, and each failed attempt is paid from a budget.
"""

import re
from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder
from typing import Any, NamedTuple, NoReturn

LONGEST_TEXT = 65_536
"""In characters; what follows is not read."""
FENCE = "```"

_BUDGET = 16 * LONGEST_TEXT
"""How many characters all attempts together may read; honest text needs one pass or two."""
_FAILURE = 1024
"""What a failed attempt costs beside what it read: an error counts the lines before it."""
_OPENING = re.compile(r'\{(?=\s*["}])')
"""Where an object can begin; other braces are prose, and cost nothing."""


class Found(NamedTuple):
    """An object and where its text begins, its fence included."""

    start: int
    value: dict[str, Any]


def find_object(text: str) -> Found | None:
    """Return the object that is the answer, `None` where there is none.

    The first rule that finds something wins: the objects in fenced blocks, then all objects; among
    them the first with an `action_type`, nested ones included, else the first.
    """
    text = text[:LONGEST_TEXT]
    reader = _Reader()
    for objects in (_fenced(text, reader), reader.objects(text)):
        found = list(objects)
        for start, value in found:
            for candidate in _with_nested(value):
                if "action_type" in candidate:
                    return Found(start, candidate)
        if found:
            return found[0]
    return None


def _fenced(text: str, reader: "_Reader") -> Iterator[Found]:
    """Yield the objects of fenced blocks, whatever language a fence names."""
    position = 0
    for number, part in enumerate(text.split(FENCE)):
        if number % 2:
            for found in reader.objects(part):
                yield Found(position - len(FENCE), found.value)
        position += len(part) + len(FENCE)


def _with_nested(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield an object and those inside it, outer ones first."""
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
    """Reads objects until its budget is spent: many failed attempts would take quadratic time."""

    def __init__(self) -> None:
        self._budget = _BUDGET
        self._decoder = JSONDecoder(parse_constant=_refuse_constant)

    def objects(self, text: str) -> Iterator[Found]:
        """Yield the outermost objects of a text."""
        opening = _OPENING.search(text)
        while opening and self._budget > 0:
            start = opening.start()
            try:
                value, end = self._decoder.raw_decode(text, start)
            except JSONDecodeError as error:
                end = start + 1
                self._budget -= error.pos - start + _FAILURE
            except (ValueError, RecursionError):  # a number too long, NaN, or nested too deep
                end = start + 1
                self._budget -= len(text) - start + _FAILURE
            else:
                self._budget -= end - start
                yield Found(start, value)
            opening = _OPENING.search(text, end)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
