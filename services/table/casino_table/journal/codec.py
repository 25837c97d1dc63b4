"""The records of a journal file as bytes, and the end of each table's, which the next one follows.

Records are lines of JSON, so that archives can be read: one line, and a further one for each event.
Records that follow each other are a run, which a `RecordBlock` holds compressed. Pure.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

import orjson

from casino_table.journal.journal_log import JournalRecord, SequencedEvent

ORIGIN = bytes(16)
"""What the first hash of a chain follows."""
_NUMBER_BITS = 40
LAST_NUMBER = (1 << _NUMBER_BITS) - 1


class StoredRecord(NamedTuple):
    """A record of one table, with its encoded form."""

    table: int
    number: int
    epoch: int
    sequence: int
    """The newest sequence of the epoch after it, also if it has no event."""
    record: JournalRecord
    text: bytes
    events: Sequence[SequencedEvent]

    @property
    def hand(self) -> int:
        """The number of the newest hand; only if the record has the table's full state."""
        assert self.record.table is not None  # noqa: S101
        number: int = self.record.table["hand_number"]
        return number


def encoded(
    table: int,
    number: int,
    epoch: int,
    sequence: int,
    record: JournalRecord,
    events: Sequence[SequencedEvent],
) -> StoredRecord:
    """Return a record with its encoded form; see `StoredRecord`."""
    kind, content, state = record
    lines = b"\n" + b",\n".join([event[1] for event in events]) if events else b""
    text = (
        b'{"table":%d,"number":%d,"kind":"%b","epoch":%d,"sequences":[%d,%d],"content":%b,'
        b'"state":%b,"events":[%b]}\n'
    ) % (
        table,
        number,
        kind.encode(),
        epoch,
        sequence - len(events) + 1,
        sequence,
        orjson.dumps(content),
        b"null" if state is None else orjson.dumps(state),
        lines,
    )
    return StoredRecord(table, number, epoch, sequence, record, text, events)


def records_in(run: bytes) -> Iterator[StoredRecord]:
    """Yield the records of a run. Raises ValueError, LookupError or TypeError if it is none."""
    lines = run.split(b"\n")
    at, end = 0, len(lines) - 1  # nothing is after the last line break
    while at < end:
        first_line = lines[at]
        has_events = first_line.endswith(b"[")
        head = orjson.loads(first_line + b"]}" if has_events else first_line)
        first, last = head["sequences"]
        after = at + 1 + last + 1 - first
        events = [
            SequencedEvent(first + count, line.removesuffix(b","))
            for count, line in enumerate(lines[at + 1 : after])
        ]
        if has_events:
            events[-1] = SequencedEvent(last, events[-1].content.removesuffix(b"]}"))
        yield StoredRecord(
            head["table"],
            head["number"],
            head["epoch"],
            last,
            JournalRecord(head["kind"], head["content"], head["state"]),
            b"\n".join((*lines[at:after], b"")),
            events,
        )
        at = after


class RecordBlock(NamedTuple):
    """A run of one table's records as it is stored: compressed, with a hash of the chain.

    It ends at a record with the table's full state, unless the run became too long before.
    """

    place: int
    """Where it is stored: the table and its last record; see `place_of`."""
    first: int
    kind: str | None
    """The kind of its last record; None: that has not the table's full state."""
    epoch: int
    sequence: int
    """The newest sequence of the epoch after its last record."""
    hand: int
    """The number of the newest hand, as of the newest full state until its end."""
    body: bytes
    hash: bytes

    @property
    def table(self) -> int:
        return self.place >> _NUMBER_BITS

    @property
    def last(self) -> int:
        return self.place & LAST_NUMBER

    def hash_after(self, before: bytes) -> bytes:
        """Return the hash that the block must have after that of the previous one."""
        line = f"{self.place} {self.first} {self.kind} {self.epoch} {self.sequence} {self.hand}\n"
        return hash_after(before, line.encode() + self.body)


def place_of(table: int, number: int) -> int:
    """Return where the block that ends at a record is stored: tables one after another.

    >>> place_of(2, 7) - place_of(2, 6), place_of(3, 0) > place_of(2, 10**9)
    (1, True)
    """
    return (table << _NUMBER_BITS) | number


def hash_after(before: bytes, content: bytes) -> bytes:
    return blake2b(before + content, digest_size=16).digest()


@dataclass(slots=True)
class TableEnd:
    """The newest record of a table, and its records that are in no block yet."""

    table: int
    number: int = 0
    """The number of the newest record; they count from 1, also after all were deleted."""
    base: int = 0
    """The number of the newest deleted record."""
    hash: bytes = ORIGIN
    """The hash that the next block follows."""
    epoch: int = 0
    sequence: int = 0
    """The newest sequence of the epoch."""
    hand: int = 0
    """The number of the newest hand in the newest full state."""
    pending: list[bytes] = field(default_factory=list)
    """The encoded records that are in no block."""
    pending_bytes: int = 0
    pending_since: int = 0
    """The number of the commit of the first of them."""
    confirmed: tuple[int, int] = (0, 0)
    """Epoch, and the last sequence of it that the lobby has confirmed."""
    stored_confirmed: tuple[int, int] = (0, 0)

    @property
    def blocked(self) -> int:
        """The number of the newest record that is in a block, or was deleted."""
        return self.number - len(self.pending)

    def extend(self, records: Sequence[StoredRecord], commit: int) -> None:
        """Go on after records of a commit that are in no block yet."""
        newest = records[-1]
        if newest.epoch != self.epoch:
            self.confirmed = (0, 0)
        self.number, self.epoch, self.sequence = newest.number, newest.epoch, newest.sequence
        if not self.pending:
            self.pending_since = commit
        for record in records:
            self.pending.append(record.text)
            self.pending_bytes += len(record.text)

    def follow(self, block: RecordBlock) -> None:
        """Go on after a block, which has everything that was pending."""
        if block.epoch != self.epoch:
            self.confirmed = (0, 0)
        self.number, self.epoch, self.sequence = block.last, block.epoch, block.sequence
        self.hand, self.hash = block.hand, block.hash
        self.pending, self.pending_bytes = [], 0

    def forget(self) -> None:
        """Go on after all records were deleted; their numbers are not used again."""
        self.base = self.number
        self.epoch = self.sequence = self.hand = 0
        self.pending, self.pending_bytes = [], 0
        self.confirmed = self.stored_confirmed = (0, 0)


class TableRecords(NamedTuple):
    """All stored records of a table, to be moved to another file."""

    table: int
    base: int
    """The number of the newest deleted record."""
    base_hash: bytes
    """The hash that the first block follows."""
    confirmed: tuple[int, int]
    blocks: Iterable[RecordBlock]
