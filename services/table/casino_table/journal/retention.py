"""Which records a log may delete so that it keeps its newest completed hands. Pure."""

from array import array
from bisect import bisect_left, bisect_right

from casino_table.journal.records import CONFIGURED, SETTLED

_MOST_SLACK = 100


class HandRetention:
    """Notes where the stored completed hands begin, to find what lies before the newest of them.

    A hand begins at the record with the table's full state before it. Hands that a new epoch voids
    do not count. Up to `slack` hands more than `keep` stay, so that they are deleted together.
    """

    def __init__(self, keep: int) -> None:
        self._keep = keep
        self.slack = max(1, min(keep // 10, _MOST_SLACK))
        self._hands = array("q")
        """The numbers of the stored hands, ascending."""
        self._begins = array("q")
        """For each of them the number of the record at which it begins."""
        self._state: int | None = None
        """The number of the newest record with the table's full state."""

    def __len__(self) -> int:
        """Return how many completed hands are stored."""
        return len(self._hands)

    def note(self, number: int, kind: str, hand: int, cancelled: int | None = None) -> None:
        """Note a stored record with the table's full state; in the order of their numbers.

        `hand` is the newest hand in it, `cancelled` the one that it cancels, if it begins an epoch.
        """
        if kind == CONFIGURED:
            self._drop_void(hand, cancelled)
        elif kind == SETTLED and self._state is not None:
            self._hands.append(hand)
            self._begins.append(self._state)
        self._state = number

    def _drop_void(self, last: int, cancelled: int | None) -> None:
        """Drop the hands that a new epoch voids: those after its last hand, and a cancelled one."""
        end = bisect_right(self._hands, last)
        del self._hands[end:], self._begins[end:]
        at = end if cancelled is None else bisect_left(self._hands, cancelled)
        if at < len(self) and self._hands[at] == cancelled:
            del self._hands[at], self._begins[at]

    def first_needed(self) -> int | None:
        """Return the first record of the newest `keep` hands; None without a hand."""
        return self._begins[max(0, len(self) - self._keep)] if self._begins else None

    def surplus(self) -> int | None:
        """Return the record before which to delete; None while at most `keep + slack` are stored.

        At most `2 * slack` hands are deleted at a time, so that a commit never waits for long.
        """
        count = len(self) - self._keep
        return self._begins[min(count, 2 * self.slack)] if count > self.slack else None

    def forget_before(self, first: int) -> None:
        """Forget the hands that begin before a record: it is the first stored one now."""
        count = bisect_left(self._begins, first)
        del self._hands[:count], self._begins[:count]
        if self._state is not None and self._state < first:
            self._state = None
