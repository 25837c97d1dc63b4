"""Encode and decode journal records for the log on disk."""

from typing import NamedTuple

import orjson

from casino_table.journal.journal import JournalRecord, SequencedEvent


class RecordCodec(NamedTuple):
    """An encoded record: one header line, then content, state and events."""

    kind: str
    epoch: int
    first_sequence: int
    last_sequence: int
    """The newest sequence of the epoch, also if the record has no event."""
    content: bytes
    state: bytes
    events: bytes

    def packed(self) -> bytes:
        """Return the encoded bytes."""
        kind, epoch, first, last, content, state, events = self
        line = f"{kind} {epoch} {first} {last} {len(content)} {len(state)}\n"
        return b"".join((line.encode(), content, state, events))

    @classmethod
    def unpacked(cls, body: bytes) -> "RecordCodec":
        """Return the record of `packed` bytes."""
        line, _, rest = body.partition(b"\n")
        kind, *numbers = line.decode().split()
        epoch, first, last, content, state = map(int, numbers)
        return cls(
            kind,
            epoch,
            first,
            last,
            rest[:content],
            rest[content : content + state],
            rest[content + state :],
        )

    def record(self) -> JournalRecord:
        """Return the record without its events."""
        state = orjson.loads(self.state) if self.state else None
        return JournalRecord(self.kind, orjson.loads(self.content), state)

    def entries(self) -> list[SequencedEvent]:
        """Return the events."""
        if not self.events:
            return []
        lines = self.events.split(b"\n")
        return [
            SequencedEvent(number, line) for number, line in enumerate(lines, self.first_sequence)
        ]
