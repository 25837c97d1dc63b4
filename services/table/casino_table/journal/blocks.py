"""Blocks of journal records: build, store, search, delete and archive them.

A block is a run of one table's records, compressed as a whole. An archive's file holds a range of
them as lines of JSON, and is never changed: `zstdcat FILE` prints it. It contains seeds and hole
cards, so files and directory are private as those of the journal.
"""

import itertools
import os
import sqlite3
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import structlog
import zstandard
from casino_agentkit.process.private_file import make_private
from casino_storage.record_compressor import DamagedRecord, RecordCompressor

from casino_table.errors import JournalFailed
from casino_table.journal.codec import (
    LAST_NUMBER,
    RecordBlock,
    StoredRecord,
    TableEnd,
    place_of,
    records_in,
)
from casino_table.journal.exclusive_file import ExclusiveFile
from casino_table.journal.journal_log import (
    SETTLED,
    JournalRecord,
    SequencedEvent,
    cancelled_before,
)

MOST_PENDING = 256 * 1024
"""Bytes of a table's records that wait for the end of their hand; then they become a block."""
BLOCKS = """
CREATE TABLE IF NOT EXISTS block (
    place INTEGER PRIMARY KEY, first INTEGER NOT NULL, kind TEXT, epoch INTEGER NOT NULL,
    sequence INTEGER NOT NULL, hand INTEGER NOT NULL, body BLOB NOT NULL, hash BLOB NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS session ON block (place) WHERE kind = 'session';
"""
_RANGE = "SELECT * FROM block WHERE place BETWEEN ? AND ? ORDER BY place"
_NEWEST = "SELECT * FROM block WHERE place BETWEEN ? AND ? ORDER BY place DESC LIMIT 1"
_SESSION = (
    "SELECT * FROM block WHERE kind = 'session' AND place BETWEEN ? AND ?"
    " ORDER BY place DESC LIMIT 1 OFFSET ?"
)
SUFFIX = ".jsonl.zst"
_PART = ".part"
MOST_ARCHIVED = 200
"""Blocks that are archived together, so that a commit never waits for long."""

logger = structlog.get_logger(__name__)


class BlockBuilder:
    """Compresses runs of records."""

    def __init__(self, compressor: RecordCompressor) -> None:
        self._compressor = compressor

    def completed(
        self, end: TableEnd, records: Sequence[StoredRecord]
    ) -> tuple[list[RecordBlock], Sequence[StoredRecord]]:
        """Return the blocks that end with records after a end, and the records after the last.

        A block ends with each record that has the table's full state.
        """
        blocks: list[RecordBlock] = []
        run, first, chain = end.pending.copy(), end.blocked + 1, end.hash
        rest = 0
        for at, item in enumerate(records, 1):
            run.append(item.text)
            if item.record.table is None:
                continue
            place, kind, hand = place_of(end.table, item.number), item.record.kind, item.hand
            block = RecordBlock(
                place, first, kind, item.epoch, item.sequence, hand, self._body(run), b""
            )
            chain = block.hash_after(chain)
            blocks.append(block._replace(hash=chain))
            run, first, rest = [], item.number + 1, at
        return blocks, records[rest:]

    def pending(self, end: TableEnd) -> RecordBlock:
        """Return a block of the pending records of a end, which ends without the full state."""
        place, first = place_of(end.table, end.number), end.blocked + 1
        body = self._body(end.pending)
        block = RecordBlock(place, first, None, end.epoch, end.sequence, end.hand, body, b"")
        return block._replace(hash=block.hash_after(end.hash))

    def _body(self, run: Sequence[bytes]) -> bytes:
        return self._compressor.compress(b"".join(run))


class BlockSearch(NamedTuple):
    """The blocks of the records from number `first` to `last`.

    `at` returns the block with a record, `read` its records, encoded; it reads only the blocks of
    the answer.
    """

    first: int
    last: int
    at: Callable[[int], RecordBlock]
    read: Callable[[RecordBlock], bytes]

    def records(self, block: RecordBlock) -> list[StoredRecord]:
        return list(records_in(self.read(block)))

    def back_to_state(self, last: int) -> list[StoredRecord]:
        """Return the records up to the end of a block, from the newest with the full state."""
        records: list[StoredRecord] = []
        while last >= self.first:
            block = self.at(last)
            earlier = self.records(block)
            if block.kind is not None:
                return [earlier[-1], *records]
            records = earlier + records
            last = block.first - 1
        return []

    def hand(self, number: int) -> list[JournalRecord]:
        """Return the records of a completed hand, from the table's state before it.

        Epochs, and the hand numbers of each, only increase. The newest epoch that did not begin
        after the hand decides: later hands of older epochs are void.
        """
        end = self.last + 1
        while end > self.first:
            epoch = self.at(end - 1).epoch
            begin = bisect_left(range(end), epoch, self.first, key=lambda n: self.at(n).epoch)
            place = bisect_left(range(end), number, begin, key=lambda n: self.at(n).hand)
            if place > begin:
                return self._settled_at(place, number) if place < end else []
            first = self.records(self.at(begin))[-1]
            if cancelled_before(first.record) == number:
                return []
            end = begin
        return []

    def _settled_at(self, place: int, number: int) -> list[JournalRecord]:
        settled = self.at(place)
        if settled.kind != SETTLED or settled.hand != number:
            return []
        before = self.back_to_state(settled.first - 1)
        return [item.record for item in (*before, *self.records(settled))] if before else []

    def events(self, epoch: int, after: int) -> Iterator[SequencedEvent]:
        """Yield the events of an epoch after a sequence; epochs and sequences only increase."""
        numbers = range(self.first, self.last + 1)
        offset = bisect_right(
            numbers, (epoch, after), key=lambda n: (self.at(n).epoch, self.at(n).sequence)
        )
        number = self.first + offset
        while number <= self.last:
            block = self.at(number)
            yield from events_of(self.records(block), epoch, after)
            if block.epoch > epoch:
                return
            number = block.last + 1


def events_of(records: list[StoredRecord], epoch: int, after: int) -> Iterator[SequencedEvent]:
    for record in records:
        if record.epoch == epoch:
            yield from (event for event in record.events if event.sequence > after)


class BlockStore:
    """The blocks of all tables of a file. Every method may raise sqlite3.Error."""

    def __init__(self, sql: sqlite3.Connection) -> None:
        self._sql = sql

    def insert(self, blocks: Iterable[RecordBlock]) -> None:
        self._sql.executemany("INSERT INTO block VALUES (?,?,?,?,?,?,?,?)", blocks)

    def delete(self, table: int, until: int) -> None:
        self._sql.execute(
            "DELETE FROM block WHERE place BETWEEN ? AND ?",
            (place_of(table, 0), place_of(table, until)),
        )

    def every(self) -> Iterator[RecordBlock]:
        """Yield all blocks, of one table after another, in the order of their records."""
        return map(RecordBlock._make, self._sql.execute("SELECT * FROM block ORDER BY place"))

    def between(self, table: int, first: int, last: int = LAST_NUMBER) -> Iterator[RecordBlock]:
        """Yield the blocks of a table that end at the records `first` to `last`, in order."""
        places = (place_of(table, first), place_of(table, last))
        return map(RecordBlock._make, self._sql.execute(_RANGE, places))

    def before(self, table: int, number: int) -> RecordBlock | None:
        """Return the last block of a table that ends before a record; None if there is none."""
        places = (place_of(table, 0), place_of(table, number - 1))
        return next(map(RecordBlock._make, self._sql.execute(_NEWEST, places)), None)

    def session(self, table: int, count: int) -> RecordBlock | None:
        """Return the block that begins the newest session but `count`; None if there is none."""
        places = (place_of(table, 0), place_of(table, LAST_NUMBER), count)
        return next(map(RecordBlock._make, self._sql.execute(_SESSION, places)), None)


class JournalArchive:
    """A directory of archived records; several processes may share it."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def store(self, name: str, runs: Iterable[bytes]) -> None:
        """Store a range of records under a name, which follows from its content.

        A file of this name is complete, and stays as it is. Raises OSError.
        """
        path = self.directory / f"{name}{SUFFIX}"
        if path.exists():
            return
        make_private(self.directory)
        part = path.with_name(f"{path.name}{_PART}")
        part.unlink(missing_ok=True)  # of a process that was killed
        content = zstandard.ZstdCompressor().compress(b"".join(runs))
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.rename(path)
        self._sync_directory()

    def _sync_directory(self) -> None:
        descriptor = os.open(self.directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


class BlockDeletion:
    """Deletes blocks of a file. `read` returns the records of a block.

    The base of a table's hash chain says what is deleted. Without an archive the blocks before it
    go in the same transaction. With one they are archived and deleted later, a few at each call of
    `go_on`; a process that is killed in between archives the same blocks under the same name.
    """

    def __init__(
        self,
        file: ExclusiveFile,
        blocks: BlockStore,
        archive: JournalArchive | None,
        read: Callable[[RecordBlock], bytes],
    ) -> None:
        self._file = file
        self._blocks = blocks
        self._archive = archive
        self._read = read
        self._until: dict[int, int] = {}
        """The last deleted record of tables that may have blocks up to it."""

    @property
    def is_archived(self) -> bool:
        return self._archive is not None

    def begin_after(self, table: int, number: int, chain: bytes) -> None:
        """Let a table's hash chain begin after a record, within a transaction."""
        row = (table, number, chain)
        self._file.sql.execute("INSERT OR REPLACE INTO base VALUES (?,?,?)", row)
        if self._archive is None:
            self._blocks.delete(table, number)

    def go_on(self, table: int | None = None, until: int = 0) -> None:
        """Archive and delete some blocks: those of a table up to a record, too, from now on.

        Raises nothing: a failure is logged, and tried again at the next call.
        """
        if table is not None and until:
            self._until[table] = until
        if not self._until:
            return
        table, until = next(iter(self._until.items()))
        try:
            if not self._delete_some(table, until):
                del self._until[table]
        except DamagedRecord:
            logger.error("journal_not_archived", table=table, error="a deleted block is damaged")  # noqa: TRY400  not a bug: no traceback
            del self._until[table]
        except (OSError, sqlite3.Error, JournalFailed) as error:
            logger.warning("journal_not_archived", table=table, error=str(error))

    def finish(self, table: int) -> None:
        """Archive and delete all blocks of a table that are left. Raises JournalFailed."""
        until = self._until.pop(table, 0)
        try:
            while until and self._delete_some(table, until):
                pass
        except (OSError, DamagedRecord) as error:
            raise JournalFailed(f"table {table} cannot be archived: {error}") from error

    def _delete_some(self, table: int, until: int) -> bool:
        """Archive and delete the oldest blocks up to a record; return whether others may follow."""
        blocks = list(itertools.islice(self._blocks.between(table, 0, until), MOST_ARCHIVED))
        if blocks:
            first, last = blocks[0], blocks[-1]
            if self._archive is not None:
                name = f"table-{table}-{first.first}-{last.last}-{last.hash.hex()}"
                self._archive.store(name, map(self._read, blocks))
            with self._file.transaction():
                self._blocks.delete(table, last.last)
        return len(blocks) == MOST_ARCHIVED
