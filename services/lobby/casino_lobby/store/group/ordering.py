"""The order in which a member of a group publishes what all members commit. Pure.

Every commit has numbers that follow those of the commit before it. A member has its own commits at
once, and reads those of the others; each number is published once, in order.
"""

from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

ItemT = TypeVar("ItemT")


class Ordering(Generic[ItemT]):
    """Holds own commits back until everything before them has been read.

    >>> ordering = Ordering[str](7)
    >>> ordering.commit(7, ["own"])
    [(8, 'own')]
    >>> ordering.commit(9, ["early"]), ordering.has_gap
    ([], True)
    >>> ordering.follow(9, [(9, "another lobby's")])
    [(9, "another lobby's"), (10, 'early')]
    """

    def __init__(self, position: int = 0) -> None:
        self.position = position
        """The last number that was published."""
        self._own: dict[int, ItemT] = {}

    @property
    def has_gap(self) -> bool:
        """Whether an own commit waits for what was committed before it."""
        return bool(self._own)

    def is_own(self, number: int) -> bool:
        """Return whether a number is that of an own commit which waits."""
        return number in self._own

    def commit(self, after: int, items: Iterable[ItemT]) -> Sequence[tuple[int, ItemT]]:
        """Take an own commit, whose numbers follow `after`; return what is to be published now.

        What was read from the database before is not published again.
        """
        for number, item in enumerate(items, after + 1):
            if number > self.position:
                self._own[number] = item
        return self._continue()

    def follow(self, upto: int, items: Iterable[tuple[int, ItemT]]) -> Sequence[tuple[int, ItemT]]:
        """Take what was read, everything up to a number in order; return what is to be published.

        A number may have several items, or none if what had it has been deleted. An own commit that
        waits is published instead of what was read of it.
        """
        own = [number for number in self._own if number <= upto]
        ready = [
            (number, item)
            for number, item in items
            if self.position < number <= upto and number not in self._own
        ]
        if own:
            ready += [(number, self._own.pop(number)) for number in own]
            ready.sort(key=_number)
        self.position = max(self.position, upto)
        return [*ready, *self._continue()]

    def _continue(self) -> list[tuple[int, ItemT]]:
        ready = []
        while self.position + 1 in self._own:
            self.position += 1
            ready.append((self.position, self._own.pop(self.position)))
        return ready


def _number(entry: tuple[int, object]) -> int:
    return entry[0]
