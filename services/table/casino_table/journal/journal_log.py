"""The storage of a journal, as the journal uses it."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import orjson
from casino_compression import RecordCompressor

from casino_table.errors import JournalFailed


class SequencedEvent(NamedTuple):
    """A numbered event as it is sent to the lobby: the JSON of a `TableEvent`."""

    sequence: int
    content: bytes


CONFIGURED, SETTLED = "configured", "settled"
"""Kinds of the records that begin an epoch and complete a hand."""


class JournalRecord(NamedTuple):
    """The private part of a commit.

    `table` is the full state after it, if recovery can start at this record.
    """

    kind: str
    content: dict[str, Any] | None = None
    table: dict[str, Any] | None = None


def cancelled_before(beginning: JournalRecord) -> int | None:
    """Return the number of the hand that an epoch cancelled; `beginning` is its first record."""
    by = (beginning.content or {}).get("by") or {}
    continuation = by.get("continuation") or {}
    number: int | None = continuation.get("cancelledHand")
    return number


OnCommit = Callable[[JournalFailed | None], None]
"""Takes the result of a commit of everything that was appended; None: it is committed."""


def ignore(failure: JournalFailed | None) -> None:
    """Take the result of a commit that nobody waits for."""


class Log(Protocol):
    """Storage of a journal."""

    is_durable: bool
    on_commit: OnCommit
    """Called at once after each commit that was not made by `append` itself."""

    @property
    def is_written(self) -> bool:
        """Whether everything that was appended is committed."""
        ...

    def append(self, epoch: int, record: JournalRecord, events: Sequence[SequencedEvent]) -> bool:
        """Add a record with its events to the next commit; return whether it is committed."""
        ...

    def take_back(self) -> None:
        """Remove the newest record from the next commit."""
        ...

    def commit_soon(self) -> None:
        """Commit what was appended before a callback that is called soon after this."""
        ...

    def commit(self) -> None:
        """Commit what was appended, all or nothing. Raises JournalFailed."""
        ...

    def tail(self) -> tuple[int, list[JournalRecord]]:
        """Return the epoch, and the records since the last one with the table's full state."""
        ...

    def hand(self, number: int) -> list[JournalRecord]:
        """Return the records of a completed hand, from the table's state before it.

        Empty for a hand that runs, was cancelled, is void, or was deleted.
        """
        ...

    def events(self, epoch: int, after: int, limit: int) -> list[SequencedEvent]:
        """Return at most `limit` stored events of an epoch after a sequence."""
        ...

    def last_sequence(self, epoch: int) -> int:
        """Return the sequence of an epoch's newest event; 0 if there is none."""
        ...

    def delivered(self, epoch: int, sequence: int) -> None:
        """Note the last sequence that the lobby confirmed; a hint that may be lost."""
        ...

    def delivered_until(self, epoch: int) -> int:
        """Return the last confirmed sequence of an epoch; 0 if there is none."""
        ...

    def has_disk_space(self) -> bool:
        """Return whether there is space for a whole hand."""
        ...

    def forget(self) -> None:
        """Delete all records, those that are not committed yet too."""
        ...

    def compact(self) -> None:
        """Delete old sessions, if this log keeps sessions."""
        ...

    def close(self) -> None:
        """Release the storage."""
        ...


HANDS_KEPT = 1000
BYTES_KEPT = 2**20
"""Bytes of all kept hands: a thousand of six seats, fewer of players that write much."""
_UNNEEDED = "bound"
"""The kind of records that no hand needs, and whose number has no limit."""


class MemoryLog:
    """A log that keeps only the records of the newest completed hands.

    At most `hands_kept` of them, which take at most `bytes_kept`; always the newest. A `compressor`
    may be shared by the tables of a process.
    """

    is_durable = False
    is_written = True

    def __init__(
        self,
        hands_kept: int = HANDS_KEPT,
        bytes_kept: int = BYTES_KEPT,
        compressor: RecordCompressor | None = None,
    ) -> None:
        self.on_commit: OnCommit = ignore
        self._compressor = compressor or RecordCompressor()
        self._hands_kept = hands_kept
        self._bytes_kept = bytes_kept
        self._bytes = 0
        self._since: list[JournalRecord] = []
        """Records since the last one with the table's full state."""
        self._hands: OrderedDict[int, bytes] = OrderedDict()

    def append(self, epoch: int, record: JournalRecord, events: Sequence[SequencedEvent]) -> bool:  # noqa: ARG002
        """Keep the records of the running hand; store them when the hand is completed."""
        if record.table is not None:
            self._keep_state(record, record.table)
        elif record.kind != _UNNEEDED:
            self._since.append(record)
        return True

    def _keep_state(self, record: JournalRecord, table: dict[str, Any]) -> None:
        if record.kind == CONFIGURED:
            self._drop_void(record)
        elif record.kind == SETTLED:
            played = [tuple(item) for item in (*self._since, record)]
            packed = self._compressor.compress(orjson.dumps(played))
            # A copy: the result holds the memory of the whole input.
            self._keep(table["hand_number"], bytes(memoryview(packed)))
        self._since = [record]

    def take_back(self) -> None:
        """Do nothing: no record waits for a commit."""

    def commit_soon(self) -> None:
        """Do nothing: everything is committed."""

    def commit(self) -> None:
        """Do nothing: everything is committed."""

    def _keep(self, number: int, packed: bytes) -> None:
        self._drop(number)
        self._hands[number] = packed
        self._bytes += len(packed)
        while len(self._hands) > 1 and (
            len(self._hands) > self._hands_kept or self._bytes > self._bytes_kept
        ):
            self._drop(next(iter(self._hands)))

    def _drop(self, number: int) -> None:
        self._bytes -= len(self._hands.pop(number, b""))

    def _drop_void(self, beginning: JournalRecord) -> None:
        """Delete the hands that a new epoch voids: the cancelled one, and higher numbers."""
        assert beginning.table is not None  # noqa: S101  the first record has the full state
        void = cancelled_before(beginning)
        last = beginning.table["hand_number"]
        for number in [key for key in self._hands if key > last or key == void]:
            self._drop(number)

    def hand(self, number: int) -> list[JournalRecord]:
        """Return the records of a completed hand, from the table's state before it."""
        stored = self._hands.get(number)
        if stored is None:
            return []
        played = orjson.loads(self._compressor.decompress(stored))
        return [JournalRecord(*fields) for fields in played]

    def tail(self) -> tuple[int, list[JournalRecord]]:
        """Return no records: nothing survives the process."""
        return 1, []

    def events(self, epoch: int, after: int, limit: int) -> list[SequencedEvent]:  # noqa: ARG002
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
        self._bytes = 0

    def compact(self) -> None:
        """Do nothing: the number of hands is limited on write."""

    def close(self) -> None:
        """Do nothing: no file is open."""
