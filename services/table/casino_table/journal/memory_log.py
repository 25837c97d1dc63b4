"""A journal's log in memory: keeps the newest completed hands until the process ends."""

from collections import OrderedDict
from collections.abc import Sequence

import orjson

from casino_table.journal.journal import (
    CONFIGURED,
    SETTLED,
    JournalRecord,
    SequencedEvent,
    cancelled_before,
)

HANDS_KEPT = 1000
"""About 7 KB per hand at six seats, plus the players' messages."""
_UNNEEDED = "bound"
"""The kind of records that no hand needs, and whose number has no limit."""


class MemoryLog:
    """A log that keeps only the records of the newest completed hands."""

    is_durable = False

    def __init__(self, hands_kept: int = HANDS_KEPT) -> None:
        self._hands_kept = hands_kept
        self._since: list[JournalRecord] = []
        """Records since the last one with the table's full state."""
        self._hands: OrderedDict[int, bytes] = OrderedDict()

    def write(self, epoch: int, record: JournalRecord, entries: Sequence[SequencedEvent]) -> None:  # noqa: ARG002
        """Keep the records of the running hand; store them when the hand is completed."""
        if record.table is None:
            if record.kind != _UNNEEDED:
                self._since.append(record)
            return
        if record.kind == CONFIGURED:
            self._drop_void(record)
        elif record.kind == SETTLED:
            played = [tuple(item) for item in (*self._since, record)]
            self._hands[record.table["hand_number"]] = orjson.dumps(played)
            if len(self._hands) > self._hands_kept:
                self._hands.popitem(last=False)
        self._since = [record]

    def _drop_void(self, beginning: JournalRecord) -> None:
        """Delete the hands that a new epoch voids: the cancelled one, and higher numbers."""
        assert beginning.table is not None  # noqa: S101  the first record has the full state
        void = cancelled_before(beginning)
        last = beginning.table["hand_number"]
        for number in [key for key in self._hands if key > last or key == void]:
            del self._hands[number]

    def hand(self, number: int) -> list[JournalRecord]:
        """Return the records of a completed hand, from the table's state before it."""
        stored = self._hands.get(number)
        return [JournalRecord(*fields) for fields in orjson.loads(stored)] if stored else []

    def tail(self) -> tuple[int, list[JournalRecord]]:
        """Return no records: nothing survives the process."""
        return 1, []

    def entries(self, epoch: int, after: int, limit: int) -> list[SequencedEvent]:  # noqa: ARG002
        """Return no events: they are only in the journal's buffer."""
        return []

    def last_sequence(self, epoch: int) -> int:  # noqa: ARG002
        """Return 0."""
        return 0

    def delivered(self, epoch: int, sequence: int) -> None:
        """Ignore the hint."""

    def delivered_until(self, epoch: int) -> int:  # noqa: ARG002
        """Return 0."""
        return 0

    def has_disk_space(self) -> bool:
        """Return True."""
        return True

    def forget(self) -> None:
        """Delete the hands of a closed table."""
        self._since.clear()
        self._hands.clear()

    def compact(self) -> None:
        """Do nothing: the number of hands is limited on write."""

    def close(self) -> None:
        """Do nothing: no file is open."""
