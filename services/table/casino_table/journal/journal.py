"""The table's ordered log: what it takes to stand where it stands, and what is told to the world.

A record is committed as a whole: its private half (kind and content, from which the table's state
is folded) and its public half (events, numbered once, published in order).
What a record is kept in is the business of its log: memory, or a file that outlives the process.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import orjson
from casino_contracts import EventType, WireModel


class JournalFailed(Exception):
    """A record could not be committed, and nothing of it was; the message says why."""


class JournalHeld(JournalFailed):
    """Another process has the journal."""


class TableFact(NamedTuple):
    """Something that has happened, fit for every eye; not yet numbered."""

    event_type: EventType
    message: str
    payload: WireModel
    hand_id: str | None = None


class SequencedEvent(NamedTuple):
    """A numbered fact as it goes to the lobby: the JSON of a TableEvent."""

    sequence: int
    content: bytes


CONFIGURED, SETTLED = "configured", "settled"
"""The records with which an epoch begins and a hand is completed."""


class JournalRecord(NamedTuple):
    """The private half of a commit.

    `table` is the table's whole state after it, where the fold may begin here.
    """

    kind: str
    content: dict[str, Any] | None = None
    table: dict[str, Any] | None = None


def cancelled_before(beginning: JournalRecord) -> int | None:
    """Return the number of the hand that an epoch, given by its first record, cancelled."""
    by = (beginning.content or {}).get("by") or {}
    continuation = by.get("continuation") or {}
    number: int | None = continuation.get("cancelledHand")
    return number


class Log(Protocol):
    """What a journal writes to."""

    is_durable: bool

    def write(self, epoch: int, record: JournalRecord, entries: Sequence[SequencedEvent]) -> None:
        """Commit a record with its events, all or nothing; raises JournalFailed."""
        ...

    def tail(self) -> tuple[int, list[JournalRecord]]:
        """Return the epoch, and the records from the last one that holds the table's state."""
        ...

    def hand(self, number: int) -> list[JournalRecord]:
        """Return the records of a completed hand, from the table's state before it on.

        Nothing for a hand that runs, was cancelled, is void, or is kept no more.
        """
        ...

    def entries(self, epoch: int, after: int, limit: int) -> list[SequencedEvent]:
        """Return events of an epoch after a sequence; only what a log keeps can be returned."""
        ...

    def last_sequence(self, epoch: int) -> int:
        """Return the number of an epoch's last event, 0 when there is none."""
        ...

    def delivered(self, epoch: int, sequence: int) -> None:
        """Remember how far the lobby is; a hint, so it need not be safe at once."""
        ...

    def delivered_until(self, epoch: int) -> int:
        """Return what was remembered."""
        ...

    def has_disk_space(self) -> bool:
        """Tell whether a whole hand can still be written."""
        ...

    def forget(self) -> None:
        """Begin anew, with nothing."""
        ...

    def compact(self) -> None:
        """Drop what the log's rule says is old."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


class Journal:
    """One epoch of one table: numbers its events, and keeps them at hand until delivered."""

    def __init__(self, table_id: str, epoch: int, timestamp: Callable[[], str], log: Log) -> None:
        self.table_id = table_id
        self._epoch = epoch
        self._timestamp = timestamp
        self._log = log
        self._news = asyncio.Event()
        self._last = log.last_sequence(epoch)
        self.delivered_until = min(log.delivered_until(epoch), self._last)
        self._entries: deque[SequencedEvent] = deque(self._read(self.delivered_until))

    @property
    def last_sequence(self) -> int:
        """The number of the newest fact; 0 when there is none."""
        return self._last

    @property
    def undelivered(self) -> int:
        """How many events the lobby has not confirmed."""
        return self._last - self.delivered_until

    @property
    def kept_from(self) -> int:
        """The first event that can still be delivered: what was confirmed goes in time."""
        kept = self._log.entries(self._epoch, 0, 1)
        return kept[0].sequence if kept else self._last - len(self._entries) + 1

    @property
    def is_durable(self) -> bool:
        """Whether it outlives the process."""
        return self._log.is_durable

    def has_disk_space(self) -> bool:
        """Tell whether a whole hand can still be written."""
        return self._log.has_disk_space()

    def compact(self) -> None:
        """Drop old sessions by the log's rule."""
        self._log.compact()

    def commit(self, record: JournalRecord, facts: Sequence[TableFact] = ()) -> None:
        """Commit a record with its facts; they are numbered and will be published.

        Raises JournalFailed, and then nothing has happened.
        """
        timestamp = self._timestamp()
        entries = [
            self._entry(number, timestamp, fact)
            for number, fact in enumerate(facts, start=self._last + 1)
        ]
        self._log.write(self._epoch, record, entries)
        self._last += len(entries)
        self._entries.extend(entries)
        self._news.set()

    def _entry(self, sequence: int, timestamp: str, fact: TableFact) -> SequencedEvent:
        content: dict[str, Any] = {
            "tableId": self.table_id,
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
        """Return the next entries to publish, at most `limit`."""
        first = self._last - len(self._entries) + 1
        if sequence + 1 < first:  # the lobby wants what it once had
            return self._log.entries(self._epoch, sequence, limit)
        start = sequence + 1 - first
        return [self._entries[i] for i in range(start, min(start + limit, len(self._entries)))]

    def delivered(self, sequence: int) -> None:
        """Note that the lobby holds everything up to and including `sequence`."""
        while self._entries and self._entries[0].sequence <= sequence:
            self._entries.popleft()
        self.delivered_until = sequence
        self._log.delivered(self._epoch, sequence)

    async def news(self, sequence: int) -> None:
        """Wait until there is an event after `sequence`."""
        while self._last <= sequence:
            self._news.clear()
            await self._news.wait()

    def _read(self, after: int) -> Iterator[SequencedEvent]:
        while batch := self._log.entries(self._epoch, after, 1000):
            yield from batch
            after = batch[-1].sequence
