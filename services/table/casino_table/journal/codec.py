"""Encode and decode the records of a log on disk: lines of JSON, so that archives can be read.

A record is a line, and a further line for each of its events. Records that follow each other are a
run, which is compressed as a whole.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import orjson

from casino_table.journal.records import JournalRecord, SequencedEvent


class StoredRecord(NamedTuple):
    """A record of one table, with its encoded form."""

    table: int
    """The number of the table."""
    number: int
    """The number of the record at its table."""
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
