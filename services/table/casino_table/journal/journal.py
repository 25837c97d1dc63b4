"""The ordered journal of a table: records to recover its state, and events to publish.

A record is committed atomically. Its private part (kind and content) recovers the table's state;
its public part is events, which are numbered once and published in order.
Records are stored in a `Log`: in memory, or in a file.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import orjson
from casino_contracts import EventType, WireModel

MAX_UNDELIVERED = 50_000


class TableFact(NamedTuple):
    """A public event of the table that has no sequence yet."""

    event_type: EventType
    message: str
    payload: WireModel
    hand_id: str | None = None
    table_id: str | None = None
    """None: the journal's table."""


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


class Log(Protocol):
    """Storage of a journal."""

    is_durable: bool

    def write(self, epoch: int, record: JournalRecord, entries: Sequence[SequencedEvent]) -> None:
        """Commit a record with its events, all or nothing; raises JournalFailed."""
        ...

    def tail(self) -> tuple[int, list[JournalRecord]]:
        """Return the epoch, and the records since the last one with the table's full state."""
        ...

    def hand(self, number: int) -> list[JournalRecord]:
        """Return the records of a completed hand, from the table's state before it.

        Empty for a hand that runs, was cancelled, is void, or was deleted.
        """
        ...

    def entries(self, epoch: int, after: int, limit: int) -> list[SequencedEvent]:
        """Return at most `limit` stored events of an epoch after a sequence."""
        ...

    def last_sequence(self, epoch: int) -> int:
        """Return the sequence of an epoch's newest event; 0 if there is none."""
        ...

    def delivered(self, epoch: int, sequence: int) -> None:
        """Store the last sequence that the lobby confirmed; a hint that may be lost."""
        ...

    def delivered_until(self, epoch: int) -> int:
        """Return the last confirmed sequence of an epoch; 0 if there is none."""
        ...

    def has_disk_space(self) -> bool:
        """Return whether there is space for a whole hand."""
        ...

    def forget(self) -> None:
        """Delete all records."""
        ...

    def compact(self) -> None:
        """Delete old sessions, if this log keeps sessions."""
        ...

    def close(self) -> None:
        """Release the storage."""
        ...


class Journal:
    """One epoch of one table: number its events and buffer them until delivered.

    It is backlogged above `max_undelivered` events that the lobby has not confirmed.
    """

    def __init__(
        self,
        table_id: str,
        epoch: int,
        timestamp: Callable[[], str],
        log: Log,
        max_undelivered: int = MAX_UNDELIVERED,
    ) -> None:
        self.table_id = table_id
        self._epoch = epoch
        self._timestamp = timestamp
        self._log = log
        self._max_undelivered = max_undelivered
        self._appended = asyncio.Event()
        self._last = log.last_sequence(epoch)
        self.delivered_until = min(log.delivered_until(epoch), self._last)
        self._entries: deque[SequencedEvent] = deque(self._read(self.delivered_until))
        self._newest: SequencedEvent | None = None
        """The newest event of this process, also after its delivery."""

    @property
    def last_sequence(self) -> int:
        """The sequence of the newest event; 0 if there is none."""
        return self._last

    @property
    def undelivered(self) -> int:
        """How many events the lobby has not confirmed."""
        return self._last - self.delivered_until

    def is_backlogged(self) -> bool:
        """Return whether so many events are undelivered that play should wait."""
        return self.undelivered > self._max_undelivered

    @property
    def kept_from(self) -> int:
        """The sequence of the oldest stored event: confirmed ones are deleted eventually."""
        oldest = self._log.entries(self._epoch, 0, 1)
        return oldest[0].sequence if oldest else self._last - len(self._entries) + 1

    @property
    def is_durable(self) -> bool:
        """Whether the journal outlives the process."""
        return self._log.is_durable

    def has_disk_space(self) -> bool:
        """Return whether there is space for a whole hand."""
        return self._log.has_disk_space()

    def compact(self) -> None:
        """Delete old sessions; see `Log.compact`."""
        self._log.compact()

    def commit(self, record: JournalRecord, facts: Sequence[TableFact] = ()) -> None:
        """Commit a record with its facts, which become numbered events to publish.

        Raises JournalFailed; then nothing has changed.
        """
        timestamp = self._timestamp()
        entries = [
            self._entry(number, timestamp, fact)
            for number, fact in enumerate(facts, start=self._last + 1)
        ]
        self._log.write(self._epoch, record, entries)
        self._last += len(entries)
        self._entries.extend(entries)
        self._newest = entries[-1] if entries else self._newest
        self._appended.set()

    def _entry(self, sequence: int, timestamp: str, fact: TableFact) -> SequencedEvent:
        content: dict[str, Any] = {
            "tableId": fact.table_id or self.table_id,
            "eventType": fact.event_type,
            "message": fact.message,
            "timestamp": timestamp,
            "payload": orjson.Fragment(fact.payload.wire()),
            "sequence": sequence,
            "epoch": self._epoch,
        }
        if fact.hand_id is not None:
            content["handId"] = fact.hand_id
        return SequencedEvent(sequence, orjson.dumps(content))

    def hand(self, number: int) -> list[JournalRecord]:
        """Return the records of a completed hand; see `Log.hand`."""
        return self._log.hand(number)

    def after(self, sequence: int, limit: int) -> list[SequencedEvent]:
        """Return at most `limit` events after a sequence."""
        if self._newest is not None and sequence == self._last - 1:
            return [self._newest][:limit]
        first = self._last - len(self._entries) + 1
        if sequence + 1 < first:  # a replay of confirmed events
            return self._log.entries(self._epoch, sequence, limit)
        start = sequence + 1 - first
        return [self._entries[i] for i in range(start, min(start + limit, len(self._entries)))]

    def delivered(self, sequence: int) -> None:
        """Mark the events up to and including `sequence` as confirmed by the lobby."""
        while self._entries and self._entries[0].sequence <= sequence:
            self._entries.popleft()
        self.delivered_until = sequence
        self._log.delivered(self._epoch, sequence)

    async def wait_for_event(self, sequence: int) -> None:
        """Wait until there is an event after `sequence`."""
        while self._last <= sequence:
            self._appended.clear()
            await self._appended.wait()

    def _read(self, after: int) -> Iterator[SequencedEvent]:
        while batch := self._log.entries(self._epoch, after, 1000):
            yield from batch
            after = batch[-1].sequence
