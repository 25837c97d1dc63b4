"""The ordered journal of a table: records to recover its state, and events to publish.

A record is committed atomically. Its private part (kind and content) recovers the table's state;
its public part is events, which are numbered once and published in order.
Records are stored in a `Log`: in memory, or in a file. After a restart `TableService.resume`
(`service.py`) takes the records of `Log.tail`, and `recover` (`play/changes.py`) applies them.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from casino_contracts import EventType, TableEvent, WireModel
from casino_contracts.fast_struct import struct_of

from casino_table.errors import JournalFailed
from casino_table.journal.journal_log import JournalRecord, Log, SequencedEvent

if TYPE_CHECKING:  # of the extra `traces`
    from opentelemetry.trace import SpanContext

MAX_UNDELIVERED = 50_000
_EVENT: Final[Callable[..., TableEvent]] = struct_of(TableEvent, message=str, payload=Any)


class EventDraft(NamedTuple):
    """A public event of the table that has no sequence yet."""

    event_type: EventType
    message: str
    payload: WireModel
    hand_id: str | None = None
    table_id: str | None = None
    """None: the journal's table."""


class Journal:
    """One epoch of one table: number its events and buffer them until delivered.

    It is backlogged above `max_undelivered` events that the lobby has not confirmed.
    Play appends records and waits for their commit; a command commits at once. What was appended
    stays in order: a failed commit is tried again with the next one.
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
        self._last = log.last_sequence(epoch)
        self.span: SpanContext | None = None
        """That of the newest hand, if hands are traced."""
        self.delivered_until = min(log.delivered_until(epoch), self._last)
        self._events: deque[SequencedEvent] = deque(self._read(self.delivered_until))
        self._newest: SequencedEvent | None = None
        """The newest event of this process, also after its delivery."""
        self._unwritten: list[SequencedEvent] = []
        """The events of records that are not committed."""
        self._failure: JournalFailed | None = None
        """Why the last commit failed; None: it did not."""
        self.on_events: Callable[[], None] = _ignore
        """Called when there are new events to publish."""
        log.on_commit = self._settle

    @property
    def last_sequence(self) -> int:
        return self._last

    @property
    def undelivered(self) -> int:
        return self._last - self.delivered_until

    def is_backlogged(self) -> bool:
        """Return whether so many events are undelivered that play should wait."""
        return self.undelivered > self._max_undelivered

    @property
    def kept_from(self) -> int:
        """The sequence of the oldest stored event: confirmed ones are deleted eventually."""
        oldest = self._log.events(self._epoch, 0, 1)
        return oldest[0].sequence if oldest else self._last - len(self._events) + 1

    @property
    def is_durable(self) -> bool:
        return self._log.is_durable

    @property
    def place(self) -> str:
        return self._log.place

    def has_disk_space(self) -> bool:
        return self._log.has_disk_space()

    def compact(self) -> None:
        self._log.compact()

    def append(self, record: JournalRecord, drafts: Sequence[EventDraft] = ()) -> bool:
        """Return whether all is committed already; otherwise `written` waits for that."""
        if self._add(record, drafts):
            return True
        self._log.commit_soon()
        return False

    async def written(self) -> None:
        """Wait for all commits. Raises JournalFailed for now; the next call tries again."""
        if self._failure is not None:
            self._log.commit_soon()
        await asyncio.sleep(0)  # what was to be called soon is called before this goes on
        if self._failure is not None:
            raise self._failure

    def commit(self, record: JournalRecord, drafts: Sequence[EventDraft] = ()) -> None:
        """Commit at once, after what was appended. Raises JournalFailed; nothing changed then."""
        if self._add(record, drafts):
            return
        try:
            self._log.commit()
        except JournalFailed:
            self._log.take_back()
            if drafts:
                del self._unwritten[-len(drafts) :]
            raise

    def flush(self) -> None:
        """Commit what was appended, if that is possible now: before any message says so."""
        if not self._log.is_written:
            with contextlib.suppress(JournalFailed):
                self._log.commit()

    def _add(self, record: JournalRecord, drafts: Sequence[EventDraft]) -> bool:
        timestamp = self._timestamp() if drafts else ""
        first = self._last + len(self._unwritten) + 1
        events = [
            self._event(sequence, timestamp, draft)
            for sequence, draft in enumerate(drafts, start=first)
        ]
        is_written = self._log.append(self._epoch, record, events)
        self._unwritten += events
        if is_written:
            self._settle(None)
        return is_written

    def _settle(self, failure: JournalFailed | None) -> None:
        self._failure = failure
        if failure is None and self._unwritten:
            events, self._unwritten = self._unwritten, []
            self._last += len(events)
            self._events += events
            self._newest = events[-1]
            self.on_events()

    def _event(self, sequence: int, timestamp: str, draft: EventDraft) -> SequencedEvent:
        event = _EVENT(
            table_id=draft.table_id or self.table_id,
            event_type=draft.event_type,
            message=draft.message,
            timestamp=timestamp,
            payload=draft.payload,
            sequence=sequence,
            epoch=self._epoch,
            hand_id=draft.hand_id,
        )
        return SequencedEvent(sequence, event.wire())

    def hand(self, number: int) -> list[JournalRecord]:
        return self._log.hand(number)

    def after(self, sequence: int, limit: int) -> list[SequencedEvent]:
        """Return at most `limit` committed events after a sequence."""
        if self._newest is not None and sequence == self._last - 1:
            return [self._newest][:limit]
        first = self._last - len(self._events) + 1
        if sequence + 1 < first:  # a replay of confirmed events
            return self._log.events(self._epoch, sequence, limit)
        return list(islice(self._events, sequence + 1 - first, sequence + 1 - first + limit))

    def delivered(self, sequence: int) -> None:
        """Mark the events up to and including `sequence` as confirmed by the lobby."""
        while self._events and self._events[0].sequence <= sequence:
            self._events.popleft()
        self.delivered_until = sequence
        self._log.delivered(self._epoch, sequence)

    def _read(self, after: int) -> Iterator[SequencedEvent]:
        while batch := self._log.events(self._epoch, after, 1000):
            yield from batch
            after = batch[-1].sequence


def _ignore() -> None: ...
