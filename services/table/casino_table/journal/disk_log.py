"""One table's log in the file of its process: commits of all tables together, and retention."""

import asyncio
import contextlib
import os
import sqlite3
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import islice

import structlog
from typing_extensions import override

from casino_table.errors import JournalFailed
from casino_table.journal.blocks import BlockSearch, events_of
from casino_table.journal.codec import RecordBlock, StoredRecord, encoded, records_in
from casino_table.journal.journal_file import JournalFile
from casino_table.journal.journal_log import (
    CONFIGURED,
    SETTLED,
    JournalRecord,
    Log,
    OnCommit,
    SequencedEvent,
    cancelled_before,
    ignore,
)

_MOST_SLACK = 100
SESSIONS_KEPT = 3
"""Number of newest sessions that are kept; older ones are deleted when a session starts."""
MIN_FREE_BYTES = 8 * 2**20

logger = structlog.get_logger(__name__)


class GroupCommit:
    """A file's commits, of all tables at the end of a turn; after a failure each table alone."""

    def __init__(self, file: JournalFile) -> None:
        self.file = file
        self._open: set[int] = set()
        self._waiting: dict[int, DiskLog] = {}
        self._is_scheduled = False

    def open(self, log: "DiskLog") -> None:
        self._open.add(log.table)

    def close(self, log: "DiskLog") -> None:
        self._open.discard(log.table)
        if not self._open:
            self.file.close()

    def commit_soon(self, log: "DiskLog") -> None:
        """Commit what a log has appended, and others in this turn of the event loop."""
        self._waiting[log.table] = log
        if not self._is_scheduled:
            self._is_scheduled = True
            asyncio.get_running_loop().call_soon(self._end_turn)

    def commit(self, log: "DiskLog") -> None:
        """Commit what a log has appended, and others in this turn, at once."""
        self._waiting[log.table] = log
        self._commit()

    def drop(self, log: "DiskLog") -> None:
        """Commit nothing of a log."""
        self._waiting.pop(log.table, None)

    def _end_turn(self) -> None:
        self._is_scheduled = False
        self._commit()

    def _commit(self) -> None:
        logs = [log for log in self._waiting.values() if log.unwritten]
        self._waiting.clear()
        try:
            if logs:
                self.file.write(logs)
        except JournalFailed as failure:
            self._commit_each(logs, failure)
        else:
            for log in logs:
                log.settle(None)

    def _commit_each(self, logs: Sequence["DiskLog"], failure: JournalFailed) -> None:
        """Commit what can be committed alone, after all together failed."""
        for log in logs:
            try:
                if len(logs) == 1:
                    raise failure
                self.file.write([log])
            except JournalFailed as its_failure:
                log.settle(its_failure)
            else:
                log.settle(None)


class HandRetention:
    """Notes where the stored completed hands begin, to find what lies before the newest of them.

    A hand begins at the record with the table's full state before it. Hands that a new epoch voids
    do not count. Up to `slack` hands more than `keep` stay, so that they are deleted together.
    """

    def __init__(self, keep: int) -> None:
        self._keep = keep
        self.slack = max(1, min(keep // 10, _MOST_SLACK))
        self._hands = array("q")
        """The numbers of the stored hands, ascending."""
        self._begins = array("q")
        """For each of them the number of the record at which it begins."""
        self._state: int | None = None
        """The number of the newest record with the table's full state."""

    def __len__(self) -> int:
        return len(self._hands)

    def note(self, number: int, kind: str, hand: int, cancelled: int | None = None) -> None:
        """Note a stored record with the table's full state; in the order of their numbers.

        `hand` is the newest hand in it, `cancelled` the one that it cancels, if it begins an epoch.
        """
        if kind == CONFIGURED:
            self._drop_void(hand, cancelled)
        elif kind == SETTLED and self._state is not None:
            self._hands.append(hand)
            self._begins.append(self._state)
        self._state = number

    def _drop_void(self, last: int, cancelled: int | None) -> None:
        """Drop the hands that a new epoch voids: those after its last hand, and a cancelled one."""
        end = bisect_right(self._hands, last)
        del self._hands[end:], self._begins[end:]
        at = end if cancelled is None else bisect_left(self._hands, cancelled)
        if at < len(self) and self._hands[at] == cancelled:
            del self._hands[at], self._begins[at]

    def first_needed(self) -> int | None:
        """Return the first record of the newest `keep` hands; None without a hand."""
        return self._begins[max(0, len(self) - self._keep)] if self._begins else None

    def surplus(self) -> int | None:
        """Return the record before which to delete at most `2 * slack` hands, or None."""
        count = len(self) - self._keep
        return self._begins[min(count, 2 * self.slack)] if count > self.slack else None

    def forget_before(self, first: int) -> None:
        """Forget the hands that begin before a record: it is the first stored one now."""
        count = bisect_left(self._begins, first)
        del self._hands[:count], self._begins[:count]
        if self._state is not None and self._state < first:
            self._state = None


class DiskLog(Log):
    """The log of one table; the last one that is closed closes the file.

    With `keep_hands` it deletes older completed hands once the lobby has confirmed their events.
    """

    is_durable = True

    def __init__(
        self,
        group: GroupCommit,
        table: int,
        *,
        keep_hands: int | None = None,
        min_free_bytes: int = MIN_FREE_BYTES,
    ) -> None:
        self.table = table
        self.unwritten: list[StoredRecord] = []
        self.on_commit: OnCommit = ignore
        self._group = group
        self._file = group.file
        self.place = str(group.file.path.parent)
        self.table_end = group.file.end(table)
        self._min_free = min_free_bytes
        self._failure: JournalFailed | None = None
        self._retention = None if keep_hands is None else HandRetention(keep_hands)
        group.open(self)
        if self._retention is not None:
            for block in self._file.blocks.between(table, self.table_end.base + 1):
                self._note(self._retention, block)

    @property
    def _search(self) -> BlockSearch:
        end = self.table_end
        return BlockSearch(end.base + 1, end.blocked, self._block_at, self._file.run)

    def _block_at(self, number: int) -> RecordBlock:
        return next(self._file.blocks.between(self.table, number))

    def _note(self, retention: HandRetention, block: RecordBlock) -> None:
        if block.kind is not None:
            is_new = block.kind == CONFIGURED
            cancelled = cancelled_before(self._search.records(block)[-1].record) if is_new else None
            retention.note(block.last, block.kind, block.hand, cancelled)

    # Writing.

    @property
    @override
    def is_written(self) -> bool:
        return not self.unwritten

    @override
    def append(self, epoch: int, record: JournalRecord, events: Sequence[SequencedEvent]) -> bool:
        newest = self.unwritten[-1] if self.unwritten else self.table_end
        sequence = newest.sequence if newest.epoch == epoch else 0
        if events:
            sequence = events[-1].sequence
        number = newest.number + 1
        self.unwritten.append(encoded(self.table, number, epoch, sequence, record, events))
        return False

    @override
    def take_back(self) -> None:
        self.unwritten.pop()

    @override
    def commit_soon(self) -> None:
        self._group.commit_soon(self)

    @override
    def commit(self) -> None:
        self._group.commit(self)
        if self._failure is not None:
            raise JournalFailed(str(self._failure)) from self._failure

    def settle(self, failure: JournalFailed | None) -> None:
        self._failure = failure
        written = self.unwritten
        if failure is None:
            self.unwritten = []
        self.on_commit(failure)
        if failure is None and self._retention is not None:
            self._note_written(self._retention, written)

    def _note_written(self, retention: HandRetention, written: list[StoredRecord]) -> None:
        for item in written:
            if item.record.table is not None:
                kind = item.record.kind
                retention.note(item.number, kind, item.hand, cancelled_before(item.record))
                if kind == SETTLED:
                    self._delete_surplus(retention)

    def _delete_surplus(self, retention: HandRetention) -> None:
        """Delete the oldest hands if there are too many.

        Raises nothing, because the hand just played is committed: a failure is logged, and the next
        hand tries again.
        """
        first = retention.surplus()
        try:
            if first is not None:
                self._delete_before(first)
        except (JournalFailed, sqlite3.Error) as error:
            logger.warning("journal_not_trimmed", table=self.table, error=str(error))

    # Reading: what is committed.

    @override
    def tail(self) -> tuple[int, list[JournalRecord]]:
        records = self._search.back_to_state(self.table_end.blocked)
        if not records:
            return 1, []
        return records[0].epoch, [item.record for item in (*records, *self._pending())]

    def _pending(self) -> list[StoredRecord]:
        return list(records_in(b"".join(self.table_end.pending)))

    @override
    def hand(self, number: int) -> list[JournalRecord]:
        return self._search.hand(number)

    @override
    def events(self, epoch: int, after: int, limit: int) -> list[SequencedEvent]:
        events = list(islice(self._search.events(epoch, after), limit))
        return (events + list(events_of(self._pending(), epoch, after)))[:limit]

    @override
    def last_sequence(self, epoch: int) -> int:
        end = self.table_end
        return end.sequence if end.epoch == epoch else 0

    @override
    def delivered(self, epoch: int, sequence: int) -> None:
        self.table_end.confirmed = (epoch, sequence)

    @override
    def delivered_until(self, epoch: int) -> int:
        of_epoch, sequence = self.table_end.confirmed
        return sequence if of_epoch == epoch else 0

    @override
    def has_disk_space(self) -> bool:
        free = os.statvfs(self._file.path.parent)
        return free.f_bavail * free.f_frsize >= self._min_free

    # Deleting.

    @override
    def forget(self) -> None:
        self._group.drop(self)
        self.unwritten = []
        self._file.forget(self.table)
        if self._retention is not None:
            self._retention.forget_before(self.table_end.number + 1)

    @override
    def compact(self) -> None:
        """Delete old confirmed sessions, but no hand of `keep_hands`. Raises JournalFailed."""
        session = self._file.blocks.session(self.table, SESSIONS_KEPT - 1)
        if session is None:
            return
        first = session.last
        if self._retention is not None:
            first = min(first, self._retention.first_needed() or first)
        self._delete_before(first)

    def _delete_before(self, first: int) -> None:
        """Delete the blocks before a record, if the lobby has confirmed their events.

        Those of an older epoch count as confirmed: the lobby takes none of them any more.
        """
        before, end = self._file.blocks.before(self.table, first), self.table_end
        if before is None or before.last <= end.base:
            return
        if before.epoch == end.epoch and before.sequence > self.delivered_until(end.epoch):
            return
        self._file.delete(before)
        if self._retention is not None:
            self._retention.forget_before(first)

    @override
    def close(self) -> None:
        """Close the log, after what was appended is committed, if that is possible."""
        if self.unwritten:
            with contextlib.suppress(JournalFailed):
                self.commit()
        self._group.close(self)
