"""Plain JSON out of the values that a third party's game returns."""

import math
from collections.abc import Iterator
from enum import Enum
from typing import Any

from casino_games.errors import NotPlain

MOST_CHARACTERS = 65_536
"""The limit of one value, about the size of its JSON; an event has a few of them."""
DEEPEST = 32
_SHOWN = 80
LARGEST = 2**53 - 1
"""Larger integers are not exact in every language."""


def plain(value: Any) -> Any:
    """Return a value as JSON types, copied; raises `NotPlain`.

    Tuples become lists, members of an `Enum` their values, numbers as keys text.
    """
    return _Copy().of(value, "", DEEPEST)


class _Copy:
    """Copies one value and counts its characters."""

    def __init__(self) -> None:
        self._left = MOST_CHARACTERS

    def of(self, value: Any, place: str, levels: int) -> Any:
        value = value.value if isinstance(value, Enum) else value
        self._count(len(value) if isinstance(value, str) else 1, place)
        match value:
            case None | bool():
                return value
            case str():
                return str(value)
            case int() if abs(value) <= LARGEST:
                return int(value)
            case float() if math.isfinite(value):
                return float(value)
            case dict() | list() | tuple():
                if not levels:
                    raise NotPlain(f"nested deeper than {DEEPEST} levels, at {place[:_SHOWN]}")
                return self._container(value, place, levels - 1)
        raise NotPlain(f"{_named(value)} is no JSON, at {place[:_SHOWN] or 'the top'}")

    def _container(self, value: Any, place: str, levels: int) -> Any:
        if isinstance(value, dict):
            return {
                key: self.of(item, f"{place}.{key}".lstrip("."), levels)
                for key, item in self._items(value, place)
            }
        return [
            self.of(item, f"{place}.{index}".lstrip("."), levels)
            for index, item in enumerate(value)
        ]

    def _items(self, value: dict[Any, Any], place: str) -> Iterator[tuple[str, Any]]:
        for raw, item in value.items():
            key = raw.value if isinstance(raw, Enum) else raw
            if type(key) is not int and not isinstance(key, str):
                raise NotPlain(f"{_named(key)} is no key in JSON, at {place[:_SHOWN] or 'the top'}")
            self._count(len(str(key)), place)
            yield str(key), item

    def _count(self, characters: int, place: str) -> None:
        self._left -= characters
        if self._left < 0:
            raise NotPlain(f"more than {MOST_CHARACTERS} characters, at {place[:_SHOWN]}")


def _named(value: object) -> str:
    if isinstance(value, int):
        return f"an integer beyond {LARGEST}"
    if isinstance(value, float):
        return "a number that is not finite"
    return f"a {type(value).__name__}"
