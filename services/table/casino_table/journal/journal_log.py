"""What a journal stores, the storage as it uses it, and the storage in memory.

`DiskLog` (`disk_log.py`) is the storage in a file, from which a killed table goes on.
"""

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import orjson
from casino_storage.record_compressor import RecordCompressor
from typing_extensions import override

from casino_table.errors import JournalFailed

CONFIGURED, SETTLED = "configured", "settled"
"""Kinds of the records that begin an epoch and complete a hand."""
OnCommit = Callable[[JournalFailed | None], None]
"""Takes the result of a commit of everything that was appended; None: it is committed."""
HANDS_KEPT = 1000
BYTES_KEPT = 2**20
"""Bytes of all kept hands: a thousand of six seats, fewer of players that write much."""
BOUND = "bound"
"""The kind of records that no hand needs, and whose number has no limit."""


class SequencedEvent(NamedTuple):
    """A numbered event as it is sent to the lobby: the JSON of a `TableEvent`."""

    sequence: int
    content: bytes


class JournalRecord(NamedTuple):
    """The private part of a commit; with `table`, the full state after it, recovery can start."""

    kind: str
    content: dict[str, Any] | None = None
    table: dict[str, Any] | None = None


def cancelled_before(beginning: JournalRecord) -> int | None:
    """Return the number of the hand that an epoch cancelled; `beginning` is its first record."""
    by = (beginning.content or {}).get("by") or {}
    continuation = by.get("continuation") or {}
    number: int | None = continuation.get("cancelledHand")
    return number


def ignore(failure: JournalFailed | None) -> None:
    """Take the result of a commit that nobody waits for."""


class Log(ABC):
    """Storage of a journal."""

    is_durable: bool
    on_commit: OnCommit
    """Called at once after each commit that was not made by `append` itself."""

    place: str = ""
    """The folder that it fills; empty for one in memory."""

    @property
    @abstractmethod
    def is_written(self) -> bool: ...

    @abstractmethod
    def append(self, epoch: int, record: JournalRecord, events: Sequence[SequencedEvent]) -> bool:
        """Add a record with its events to the next commit; return whether it is committed."""

    @abstractmethod
    def take_back(self) -> None:
        """Remove the newest record from the next commit."""

    @abstractmethod
    def commit_soon(self) -> None:
        """Commit what was appended before a callback that is called soon after this."""

    @abstractmethod
    def commit(self) -> None:
        """Commit what was appended, all or nothing. Raises JournalFailed."""

    @abstractmethod
    def tail(self) -> tuple[int, list[JournalRecord]]:
        """Return the epoch, and the records since the last one with the table's full state."""

    @abstractmethod
    def hand(self, number: int) -> list[JournalRecord]:
        """Return a completed hand from the state before it; empty if void, cancelled or deleted."""

    @abstractmethod
    def events(self, epoch: int, after: int, limit: int) -> list[SequencedEvent]:
        """Return at most `limit` stored events of an epoch after a sequence."""

    @abstractmethod
    def last_sequence(self, epoch: int) -> int:
        """Return the sequence of an epoch's newest event; 0 if there is none."""

    @abstractmethod
    def delivered(self, epoch: int, sequence: int) -> None:
        """Note the last sequence that the lobby confirmed; a hint, stored with a later record."""

    @abstractmethod
    def delivered_until(self, epoch: int) -> int:
        """Return the last confirmed sequence of an epoch; 0 if there is none."""

    @abstractmethod
    def has_disk_space(self) -> bool:
        """Return whether there is space for a whole hand."""

    @abstractmethod
    def forget(self) -> None:
        """Delete all records, those that are not committed yet too. Raises JournalFailed."""

    @abstractmethod
    def compact(self) -> None:
        """Delete old sessions, if this log keeps sessions."""

    @abstractmethod
    def close(self) -> None: ...


class MemoryLog(Log):
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

    @override
    def append(self, epoch: int, record: JournalRecord, events: Sequence[SequencedEvent]) -> bool:
        if record.table is not None:
            self._keep_state(record, record.table)
        elif record.kind != BOUND:
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

    @override
    def take_back(self) -> None:
        pass  # no record waits for a commit

    @override
    def commit_soon(self) -> None:
        pass

    @override
    def commit(self) -> None:
        pass

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

    @override
    def hand(self, number: int) -> list[JournalRecord]:
        stored = self._hands.get(number)
        if stored is None:
            return []
        played = orjson.loads(self._compressor.decompress(stored))
        return [JournalRecord(*fields) for fields in played]

    @override
    def tail(self) -> tuple[int, list[JournalRecord]]:
        return 1, []

    @override
    def events(self, epoch: int, after: int, limit: int) -> list[SequencedEvent]:
        return []

    @override
    def last_sequence(self, epoch: int) -> int:
        return 0

    @override
    def delivered(self, epoch: int, sequence: int) -> None:
        pass

    @override
    def delivered_until(self, epoch: int) -> int:
        return 0

    @override
    def has_disk_space(self) -> bool:
        return True

    @override
    def forget(self) -> None:
        self._since.clear()
        self._hands.clear()
        self._bytes = 0

    @override
    def compact(self) -> None:
        pass  # the number of hands is limited on write

    @override
    def close(self) -> None:
        pass
