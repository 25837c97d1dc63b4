"""The blocks of one table: find the newest full state, the records of a hand, and events. Pure."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from typing import NamedTuple

from casino_table.journal.codec import StoredRecord, records_in
from casino_table.journal.records import SETTLED, JournalRecord, SequencedEvent, cancelled_before
from casino_table.journal.table_tail import Block


class BlockSearch(NamedTuple):
    """The blocks of the records from number `first` to `last`.

    `at` returns the block with a record, `read` its records, encoded; it reads only the blocks of
    the answer.
    """

    first: int
    last: int
    at: Callable[[int], Block]
    read: Callable[[Block], bytes]

    def records(self, block: Block) -> list[StoredRecord]:
        """Return the records of a block."""
        return list(records_in(self.read(block)))

    def back_to_state(self, last: int) -> list[StoredRecord]:
        """Return the records up to the end of a block, from the newest with the full state."""
        records: list[StoredRecord] = []
        while last >= self.first:
            block = self.at(last)
            earlier = self.records(block)
            if block.kind is not None:
                return [earlier[-1], *records]
            records = earlier + records
            last = block.first - 1
        return []

    def hand(self, number: int) -> list[JournalRecord]:
        """Return the records of a completed hand, from the table's state before it.

        Epochs, and the hand numbers of each, only increase. The newest epoch that did not begin
        after the hand decides: later hands of older epochs are void.
        """
        end = self.last + 1
        while end > self.first:
            epoch = self.at(end - 1).epoch
            begin = bisect_left(range(end), epoch, self.first, key=lambda n: self.at(n).epoch)
            place = bisect_left(range(end), number, begin, key=lambda n: self.at(n).hand)
            if place > begin:
                return self._settled_at(place, number) if place < end else []
            first = self.records(self.at(begin))[-1]
            if cancelled_before(first.record) == number:
                return []
            end = begin
        return []

    def _settled_at(self, place: int, number: int) -> list[JournalRecord]:
        settled = self.at(place)
        if settled.kind != SETTLED or settled.hand != number:
            return []
        before = self.back_to_state(settled.first - 1)
        return [item.record for item in (*before, *self.records(settled))] if before else []

    def events(self, epoch: int, after: int) -> Iterator[SequencedEvent]:
        """Yield the events of an epoch after a sequence; epochs and sequences only increase."""
        numbers = range(self.first, self.last + 1)
        offset = bisect_right(
            numbers, (epoch, after), key=lambda n: (self.at(n).epoch, self.at(n).sequence)
        )
        number = self.first + offset
        while number <= self.last:
            block = self.at(number)
            yield from events_of(self.records(block), epoch, after)
            if block.epoch > epoch:
                return
            number = block.last + 1


def events_of(records: list[StoredRecord], epoch: int, after: int) -> Iterator[SequencedEvent]:
    """Yield the events of an epoch after a sequence."""
    for record in records:
        if record.epoch == epoch:
            yield from (event for event in record.events if event.sequence > after)
