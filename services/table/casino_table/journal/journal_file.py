"""The SQLite file of a process: the records of all its tables.

A commit appends one row to `recent`, for the records of all tables. When a record with a table's
full state follows, as at the end of a hand, the table's records since the last one are written as a
block, compressed as a whole; `recent` is trimmed from time to time. So a commit writes one page,
however many tables take part in it, and a hand is one row.

A killed process loses nothing. A power loss costs at most the newest commits, depending on
`synchronous` (off, normal, full); with `full` nothing.
The blocks of each table and the commits have a chain of hashes, verified when the file is opened:
commits lost from the write-ahead log shorten the tail, and a damaged record raises JournalDamaged
with its table and number.
"""

import contextlib
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

import structlog
from casino_compression import RecordCompressor

from casino_table.errors import JournalDamaged, JournalFailed
from casino_table.journal.archive import Archive
from casino_table.journal.blocks.builder import MOST_PENDING, BlockBuilder
from casino_table.journal.blocks.deletion import BlockDeletion
from casino_table.journal.blocks.store import BLOCKS, BlockStore
from casino_table.journal.codec import StoredRecord
from casino_table.journal.exclusive_file import ExclusiveFile, Synchronous
from casino_table.journal.recent_commits import RECENT, RecentCommits
from casino_table.journal.table_tail import LAST_NUMBER, ORIGIN, Block, TableRecords, TableTail
from casino_table.journal.verification import verified_tails

_SCHEMA = f"""
{BLOCKS}
{RECENT}
CREATE TABLE IF NOT EXISTS base (
    table_number INTEGER PRIMARY KEY, number INTEGER NOT NULL, hash BLOB NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS confirmed (
    table_number INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, sequence INTEGER NOT NULL
) STRICT;
"""

logger = structlog.get_logger(__name__)


class AppendingLog(Protocol):
    """One table's log with records that are not committed yet."""

    table_tail: TableTail
    unwritten: list[StoredRecord]


class JournalFile:
    """The records of the tables of a process; one process at a time holds the file.

    `tails` has the end of each table's records, of every table that the file knows.
    """

    def __init__(
        self,
        path: Path,
        *,
        synchronous: Synchronous = "normal",
        archive: Archive | None = None,
        wait_s: float = 0,
    ) -> None:
        """Open or create the file; wait at most so long for another process that holds it.

        Deleted records are stored in `archive` first. Raises JournalHeld, JournalDamaged, or
        JournalFailed if it cannot be opened.
        """
        self.path = path
        self._compressor = RecordCompressor()
        self._builder = BlockBuilder(self._compressor)
        self._file = ExclusiveFile(path, _SCHEMA, synchronous=synchronous, wait_s=wait_s)
        self._sql = self._file.sql
        self.blocks = BlockStore(self._sql)
        self._recent = RecentCommits(self._file, self._compressor)
        try:
            self.tails = verified_tails(self._file, self.blocks, self._recent)
        except JournalDamaged:
            self._file.close()
            raise
        self._deletion = BlockDeletion(self._file, self.blocks, archive, self.run)
        for table, tail in self.tails.items():
            self._deletion.go_on(table, tail.base)

    def tail(self, table: int) -> TableTail:
        """Return the end of a table's records."""
        return self.tails.setdefault(table, TableTail(table))

    def run(self, block: Block) -> bytes:
        """Return the records of a block, encoded. Raises DamagedRecord."""
        return self._compressor.decompress(block.body)

    def close(self) -> None:
        """Close the file and release its lock."""
        with contextlib.suppress(sqlite3.Error):  # a lost hint only repeats deliveries
            self._store_confirmed(self.tails.values())
        self._file.close()

    # Commits.

    def write(self, logs: Sequence[AppendingLog]) -> None:
        """Commit what is unwritten of some logs, all or nothing. Raises JournalFailed.

        The records of each log follow its tail.
        """
        texts: list[bytes] = []
        blocks: list[Block] = []
        rests: list[Sequence[StoredRecord]] = []
        for log in logs:
            rest: Sequence[StoredRecord] = log.unwritten
            if len(rest) > 1 or rest[0].record.table is not None:  # most often: one, without state
                completed, rest = self._builder.completed(log.table_tail, rest)
                blocks += completed
            rests.append(rest)
            texts += [item.text for item in rest]
        commit = self._recent.next(texts) if texts else None
        if not blocks and commit is not None:  # most often: one statement is a transaction
            try:
                self._recent.insert(commit)
            except sqlite3.Error as error:
                raise self._file.not_written(error) from error
        else:
            with self._file.transaction():
                if commit is not None:
                    self._recent.insert(commit)
                self.blocks.insert(blocks)
                self._store_confirmed(self.tail(block.table) for block in blocks)
        if commit is not None:
            self._recent.follow(commit)
        for block in blocks:
            self.tail(block.table).follow(block)
        for log, rest in zip(logs, rests, strict=True):
            if rest:
                log.table_tail.extend(rest, self._recent.newest)
        self._keep_in_bounds(logs, has_blocks=bool(blocks))

    def _keep_in_bounds(self, logs: Iterable[AppendingLog], *, has_blocks: bool) -> None:
        """Move what is long or old to blocks, and go on deleting.

        Raises nothing, because what was appended is committed: a failure is logged, and the next
        commit tries again.
        """
        long = [log.table_tail for log in logs if log.table_tail.pending_bytes > MOST_PENDING]
        try:
            if self._recent.is_full:
                self._move_to_blocks(self._recent.middle())
            elif long:
                self._end_runs(long)
        except (JournalFailed, sqlite3.Error) as error:
            logger.warning("journal_not_trimmed", path=str(self.path), error=str(error))
        if has_blocks:
            self._deletion.go_on()

    def _move_to_blocks(self, until: int) -> None:
        """Delete the commits until one, after what they hold is in blocks."""
        tails = [tail for tail in self.tails.values() if tail.pending_since <= until]
        self._end_runs(tails)
        with self._file.transaction():
            size = self._recent.delete(until)
        self._recent.shrink_to(size)

    def _end_runs(self, tails: Iterable[TableTail]) -> None:
        """Store the pending records of tails as blocks. Raises JournalFailed."""
        blocks = [self._builder.pending(tail) for tail in tails if tail.pending]
        if not blocks:
            return
        with self._file.transaction():
            self.blocks.insert(blocks)
        for block in blocks:
            self.tail(block.table).follow(block)

    def _store_confirmed(self, tails: Iterable[TableTail]) -> None:
        """Store what the lobby has confirmed: a hint, which spares deliveries."""
        changed = [tail for tail in tails if tail.confirmed != tail.stored_confirmed]
        if changed:
            rows = [(tail.table, *tail.confirmed) for tail in changed]
            self._sql.executemany("INSERT OR REPLACE INTO confirmed VALUES (?,?,?)", rows)
            for tail in changed:
                tail.stored_confirmed = tail.confirmed

    # Deletion.

    def delete(self, last: Block) -> None:
        """Delete a table's records until those of a block. Raises JournalFailed."""
        with self._file.transaction():
            self._deletion.begin_after(last.table, last.last, last.hash)
        self.tail(last.table).base = last.last
        self._deletion.go_on(last.table, last.last)

    def forget(self, table: int) -> None:
        """Delete all records of a table. Raises JournalFailed."""
        tail = self.tail(table)
        if self._deletion.is_archived:
            self._end_runs([tail])
        with self._file.transaction():
            self._deletion.begin_after(table, tail.number, tail.hash)
            self._sql.execute("DELETE FROM confirmed WHERE table_number = ?", (table,))
        tail.forget()
        self._deletion.go_on(table, tail.base)

    # Moving records between files.

    def records_of(self, table: int) -> TableRecords:
        """Return all records of a table. Raises JournalFailed."""
        self._move_to_blocks(self._recent.newest)
        tail = self.tail(table)
        row = self._sql.execute("SELECT hash FROM base WHERE table_number = ?", (table,)).fetchone()
        blocks = self.blocks.between(table, tail.base + 1)
        return TableRecords(table, tail.base, row[0] if row else ORIGIN, tail.confirmed, blocks)

    def adopt(self, records: TableRecords) -> None:
        """Store the records of a table that has none here, all or nothing. Raises JournalFailed."""
        table, base, chain = records.table, records.base, records.base_hash
        tail = TableTail(table, number=base, base=base, hash=chain)
        with self._file.transaction():
            self._sql.execute("INSERT OR REPLACE INTO base VALUES (?,?,?)", (table, base, chain))
            for block in records.blocks:
                self.blocks.insert([block])
                tail.follow(block)
            tail.confirmed = records.confirmed
            self._store_confirmed([tail])
        self.tails[table] = tail

    def release(self, table: int) -> None:
        """Delete everything of a table that another file holds. Raises JournalFailed."""
        self._deletion.finish(table)
        self._move_to_blocks(self._recent.newest)
        with self._file.transaction():
            self.blocks.delete(table, LAST_NUMBER)
            self._sql.execute("DELETE FROM base WHERE table_number = ?", (table,))
            self._sql.execute("DELETE FROM confirmed WHERE table_number = ?", (table,))
        del self.tails[table]

    def remove(self) -> None:
        """Close and delete the file. Raises JournalFailed."""
        self._file.remove()
