"""The stored records of a log: find the newest full state, and the records of a hand. Pure."""

from bisect import bisect_left
from collections.abc import Callable
from typing import NamedTuple

import orjson

from casino_table.journal.codec import RecordCodec
from casino_table.journal.journal import SETTLED, JournalRecord, cancelled_before


class RecordRange(NamedTuple):
    """The records from number `first` to `last`, which `body` reads."""

    first: int
    last: int
    body: Callable[[int], RecordCodec]

    def back_to_state(self, last: int) -> list[RecordCodec]:
        """Return the records up to `last`, from the newest one with the table's full state."""
        bodies: list[RecordCodec] = []
        for number in range(last, self.first - 1, -1):
            bodies.append(self.body(number))
            if bodies[-1].state:
                return bodies[::-1]
        return []

    def hand(self, number: int) -> list[JournalRecord]:
        """Return the records of a completed hand, from the table's state before it.

        Epochs, and the hand numbers of each, only increase. The newest epoch that did not begin
        after the hand decides: later hands of older epochs are void.
        """
        end = self.last + 1
        while end > self.first:
            epoch = self.body(end - 1).epoch
            begin = bisect_left(range(end), epoch, self.first, key=lambda at: self.body(at).epoch)
            at = bisect_left(range(end), number, begin, key=self._hands_dealt)
            if at > begin:
                return self._hand_settled_at(at, number) if at < end else []
            if cancelled_before(self.body(begin).record()) == number:
                return []
            end = begin
        return []

    def _hands_dealt(self, at: int) -> int:
        """Return the number of the newest hand that was completed at record `at`."""
        dealt: int = orjson.loads(self.back_to_state(at)[0].state)["hand_number"]
        return dealt

    def _hand_settled_at(self, at: int, number: int) -> list[JournalRecord]:
        settled = self.body(at)
        if settled.kind != SETTLED or self._hands_dealt(at) != number:
            return []
        return [body.record() for body in (*self.back_to_state(at - 1), settled)]
