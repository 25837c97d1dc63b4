"""Exceptions of hand histories, and what stands in a file's place of a hand that cannot be read.

```
HistoryError             root of all
├── NotExportable        a hand that cannot be written: another game, or events that are missing
├── ParquetMissing       pyarrow is not installed
└── UnreadableHistory    a file that is no hand history of Hold'em, with the place and the reason
```
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

ReadT = TypeVar("ReadT")


class HistoryError(Exception):
    """Root of the exceptions of this package."""


class NotExportable(HistoryError):
    """A hand cannot be written; the text says why."""


class ParquetMissing(HistoryError):
    """pyarrow is not installed; the text says how to install it."""


class UnreadableHistory(HistoryError):
    """A file or a hand of it cannot be read; the text says where and why."""


class UnreadHand(NamedTuple):
    """A hand of a file that cannot be read, in place of the hand."""

    line: int
    """Where the hand begins, from 1."""
    hand: str
    """As the file names it, such as `#700000000041` or `[7]`, or its number in the file."""
    reason: str

    def __str__(self) -> str:
        return f"line {self.line}: hand {self.hand}: {self.reason}"


def all_read(items: "Iterable[ReadT | UnreadHand]") -> Iterator[ReadT]:
    """Yield the hands of a file; raises UnreadableHistory at the first that cannot be read."""
    for item in items:
        if isinstance(item, UnreadHand):
            raise UnreadableHistory(str(item))
        yield item
