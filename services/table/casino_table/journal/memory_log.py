"""A journal's log in memory: the table ends with its process, its newest hands can be read back."""

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
"""Some 7 KB each at six seats, and what the players said."""
_UNNEEDED = "bound"
"""Changes nothing of a hand, and may come as often as a lobby likes."""


class MemoryLog:
    """A log that keeps the records of the newest completed hands, and nothing else."""

    is_durable = False

    def __init__(self, hands_kept: int = HANDS_KEPT) -> None:
        self._hands_kept = hands_kept
        self._since: list[JournalRecord] = []
        """From the last one that holds the table's state."""
        self._hands: OrderedDict[int, bytes] = OrderedDict()

    def write(self, epoch: int, record: JournalRecord, entries: Sequence[SequencedEvent]) -> None:  # noqa: ARG002
        """Keep it while the hand runs, and the hand when it is completed."""
        if record.table is None:
            if record.kind != _UNNEEDED:
                self._since.append(record)
            return
        if record.kind == CONFIGURED:
            self._drop_void(record)
        elif record.kind == SETTLED:
            played = [tuple(one) for one in (*self._since, record)]
            self._hands[record.table["hand_number"]] = orjson.dumps(played)
            if len(self._hands) > self._hands_kept:
                self._hands.popitem(last=False)
        self._since = [record]

    def _drop_void(self, beginning: JournalRecord) -> None:
        """Drop the hands that the lobby, which begins an epoch before their end, knows not of."""
        assert beginning.table is not None  # noqa: S101  as for every beginning
        void = cancelled_before(beginning)
        last = beginning.table["hand_number"]
        for number in [one for one in self._hands if one > last or one == void]:
            del self._hands[number]

    def hand(self, number: int) -> list[JournalRecord]:
        """Return the records of a completed hand, from the table's state before it on."""
        kept = self._hands.get(number)
        return [JournalRecord(*fields) for fields in orjson.loads(kept)] if kept else []

    def tail(self) -> tuple[int, list[JournalRecord]]:
        """Return nothing."""
        return 1, []

    def entries(self, epoch: int, after: int, limit: int) -> list[SequencedEvent]:  # noqa: ARG002
        """Return nothing."""
        return []

    def last_sequence(self, epoch: int) -> int:  # noqa: ARG002
        """Return nothing."""
        return 0

    def delivered(self, epoch: int, sequence: int) -> None:
        """Keep nothing."""

    def delivered_until(self, epoch: int) -> int:  # noqa: ARG002
        """Return nothing."""
        return 0

    def has_disk_space(self) -> bool:
        """There is always room."""
        return True

    def forget(self) -> None:
        """Begin anew: the hands of a closed table go."""
        self._since.clear()
        self._hands.clear()

    def compact(self) -> None:
        """Nothing is old: the newest hands are kept by their number."""

    def close(self) -> None:
        """Nothing is held."""
