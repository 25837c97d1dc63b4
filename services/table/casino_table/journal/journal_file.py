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
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import structlog
from casino_storage.record_compressor import RecordCompressor

from casino_table.errors import JournalDamaged, JournalFailed
from casino_table.journal.blocks import (
    BLOCKS,
    MOST_PENDING,
    BlockBuilder,
    BlockDeletion,
    BlockStore,
    JournalArchive,
)
from casino_table.journal.codec import (
    LAST_NUMBER,
    ORIGIN,
    RecordBlock,
    StoredRecord,
    TableEnd,
    TableRecords,
    hash_after,
    records_in,
)
from casino_table.journal.exclusive_file import ExclusiveFile, Synchronous

MOST_BYTES = 4 * 2**20
"""Bytes of all rows at which the older half of them is deleted."""
_COMMITS = 0
"""Where `base` has the base of the commits' hash chain: no table has this number."""
_SCHEMA = f"""
{BLOCKS}
CREATE TABLE IF NOT EXISTS recent (
    number INTEGER PRIMARY KEY, body BLOB NOT NULL, hash BLOB NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS base (
    table_number INTEGER PRIMARY KEY, number INTEGER NOT NULL, hash BLOB NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS confirmed (
    table_number INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, sequence INTEGER NOT NULL
) STRICT;
"""

logger = structlog.get_logger(__name__)


class Commit(NamedTuple):
    """A row: records of several tables, with a hash over all rows until it."""

    number: int
    body: bytes
    hash: bytes


class RecentCommits:
    """A file's rows, verified when first read. Every method may raise sqlite3.Error."""

    def __init__(self, file: ExclusiveFile, compressor: RecordCompressor) -> None:
        self._file = file
        self._sql = file.sql
        self._compressor = compressor
        self.newest = 0
        """The number of the newest commit."""
        self._hash = ORIGIN
        self._bytes = 0

    @property
    def is_full(self) -> bool:
        return self._bytes >= MOST_BYTES

    def read(self) -> Iterator[tuple[int, StoredRecord]]:
        """Yield all records in order, with the number of their commit. Raises JournalDamaged."""
        base = "SELECT number, hash FROM base WHERE table_number = ?"
        row = self._sql.execute(base, (_COMMITS,)).fetchone()
        self.newest, self._hash = row or (0, ORIGIN)
        for commit in map(Commit._make, self._sql.execute("SELECT * FROM recent ORDER BY number")):
            records = self._records_in(commit)
            if commit.number != self.newest + 1:
                raise self._file.damaged(f"at commit {self.newest + 1}: it is missing")
            if commit.hash != hash_after(self._hash, commit.body):
                first = [f"record {item.number} of table {item.table}" for item in records[:1]]
                where = first[0] if first else f"commit {commit.number}"
                raise self._file.damaged(f"at {where}: its hash does not match")
            self.follow(commit)
            for record in records:
                yield commit.number, record

    def _records_in(self, commit: Commit) -> list[StoredRecord]:
        try:
            return list(records_in(self._compressor.decompress(commit.body)))
        except (ValueError, LookupError, TypeError) as error:
            raise self._file.damaged(f"at commit {commit.number}: it cannot be read") from error

    def next(self, texts: Sequence[bytes]) -> Commit:
        body = self._compressor.compress(b"".join(texts))
        return Commit(self.newest + 1, body, hash_after(self._hash, body))

    def insert(self, commit: Commit) -> None:
        """Store a commit; `follow` it when the transaction is over."""
        self._sql.execute("INSERT INTO recent VALUES (?,?,?)", commit)

    def follow(self, commit: Commit) -> None:
        self.newest, self._hash = commit.number, commit.hash
        self._bytes += len(commit.body) + len(commit.hash)

    def middle(self) -> int:
        (oldest,) = self._sql.execute("SELECT min(number) FROM recent").fetchone()
        return (self.newest if oldest is None else oldest + self.newest) // 2

    def delete(self, until: int) -> int:
        """Delete the commits until one; return the bytes of the others, for `shrink_to`."""
        row = self._sql.execute("SELECT hash FROM recent WHERE number = ?", (until,)).fetchone()
        if row is not None:
            base = (_COMMITS, until, *row)
            self._sql.execute("INSERT OR REPLACE INTO base VALUES (?,?,?)", base)
            self._sql.execute("DELETE FROM recent WHERE number <= ?", (until,))
        size = self._sql.execute("SELECT total(length(body) + length(hash)) FROM recent")
        return int(size.fetchone()[0])

    def shrink_to(self, size: int) -> None:
        """Go on after a deletion is committed."""
        self._bytes = size


def verified_ends(
    file: ExclusiveFile, blocks: BlockStore, recent: RecentCommits
) -> dict[int, TableEnd]:
    """Return the end of each table's records, by the number of the table.

    Raises JournalDamaged at the first wrong record. SQLite's own check runs too: a page that lost
    its last rows would otherwise look like the end of a table.
    """
    ends = _Ends()
    try:
        for table, number, chain in file.sql.execute("SELECT * FROM base WHERE table_number > 0"):
            ends[table] = TableEnd(table, number=number, base=number, hash=chain)
        _read_blocks(file, blocks, ends)
        _read_commits(file, recent, ends)
        for table, epoch, sequence in file.sql.execute("SELECT * FROM confirmed"):
            ends[table].confirmed = ends[table].stored_confirmed = (epoch, sequence)
        (verdict,) = file.sql.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as error:
        raise file.damaged(f"at {ends.newest}: {error}") from error
    if verdict != "ok":
        raise file.damaged(f"at one of its pages: {' '.join(verdict.split())}")
    return ends


class _Ends(dict[int, TableEnd]):
    """The ends so far; those of new tables are empty."""

    newest = "its beginning"
    """What is read at present."""

    def __missing__(self, table: int) -> TableEnd:
        return self.setdefault(table, TableEnd(table))


def _read_blocks(file: ExclusiveFile, blocks: BlockStore, ends: _Ends) -> None:
    for block in blocks.every():
        end = ends[block.table]
        if block.last <= end.base:  # deleted, but not archived yet
            continue
        ends.newest = f"record {end.number + 1} of table {end.table}"
        if block.first != end.number + 1 or block.hash != block.hash_after(end.hash):
            raise file.damaged(f"at {ends.newest}: its hash does not match its content")
        end.follow(block)


def _read_commits(file: ExclusiveFile, recent: RecentCommits, ends: _Ends) -> None:
    """Let the ends go on after the commits; records that are in a block already are skipped."""
    for commit, item in recent.read():
        end = ends[item.table]
        ends.newest = f"record {end.number + 1} of table {end.table}"
        if item.number > end.number + 1:
            raise file.damaged(f"at {ends.newest}: it is missing")
        if item.number == end.number + 1:
            end.extend([item], commit)


class AppendingLog(Protocol):
    """One table's log with records that are not committed yet."""

    table_end: TableEnd
    unwritten: list[StoredRecord]


class JournalFile:
    """The records of a process's tables, locked by it; `ends` has each known table's end."""

    def __init__(
        self,
        path: Path,
        *,
        synchronous: Synchronous = "normal",
        archive: JournalArchive | None = None,
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
            self.ends = verified_ends(self._file, self.blocks, self._recent)
        except JournalDamaged:
            self._file.close()
            raise
        self._deletion = BlockDeletion(self._file, self.blocks, archive, self.run)
        for table, end in self.ends.items():
            self._deletion.go_on(table, end.base)

    def end(self, table: int) -> TableEnd:
        return self.ends.setdefault(table, TableEnd(table))

    def run(self, block: RecordBlock) -> bytes:
        """Return the records of a block, encoded. Raises DamagedRecord."""
        return self._compressor.decompress(block.body)

    def close(self) -> None:
        with contextlib.suppress(sqlite3.Error):  # a lost hint only repeats deliveries
            self._store_confirmed(self.ends.values())
        self._file.close()

    # Commits.

    def write(self, logs: Sequence[AppendingLog]) -> None:
        """Commit what is unwritten of some logs, all or nothing. Raises JournalFailed."""
        texts: list[bytes] = []
        blocks: list[RecordBlock] = []
        rests: list[Sequence[StoredRecord]] = []
        for log in logs:
            rest: Sequence[StoredRecord] = log.unwritten
            if len(rest) > 1 or rest[0].record.table is not None:  # most often: one, without state
                completed, rest = self._builder.completed(log.table_end, rest)
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
                self._store_confirmed(self.end(block.table) for block in blocks)
        if commit is not None:
            self._recent.follow(commit)
        for block in blocks:
            self.end(block.table).follow(block)
        for log, rest in zip(logs, rests, strict=True):
            if rest:
                log.table_end.extend(rest, self._recent.newest)
        self._keep_in_bounds(logs, has_blocks=bool(blocks))

    def _keep_in_bounds(self, logs: Iterable[AppendingLog], *, has_blocks: bool) -> None:
        """Move what is long or old to blocks, and go on deleting.

        Raises nothing, because what was appended is committed: a failure is logged, and the next
        commit tries again.
        """
        long = [log.table_end for log in logs if log.table_end.pending_bytes > MOST_PENDING]
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
        ends = [end for end in self.ends.values() if end.pending_since <= until]
        self._end_runs(ends)
        with self._file.transaction():
            size = self._recent.delete(until)
        self._recent.shrink_to(size)

    def _end_runs(self, ends: Iterable[TableEnd]) -> None:
        """Store the pending records of ends as blocks. Raises JournalFailed."""
        blocks = [self._builder.pending(end) for end in ends if end.pending]
        if not blocks:
            return
        with self._file.transaction():
            self.blocks.insert(blocks)
        for block in blocks:
            self.end(block.table).follow(block)

    def _store_confirmed(self, ends: Iterable[TableEnd]) -> None:
        """Store what the lobby has confirmed: a hint, which spares deliveries."""
        changed = [end for end in ends if end.confirmed != end.stored_confirmed]
        if changed:
            rows = [(end.table, *end.confirmed) for end in changed]
            self._sql.executemany("INSERT OR REPLACE INTO confirmed VALUES (?,?,?)", rows)
            for end in changed:
                end.stored_confirmed = end.confirmed

    # Deletion.

    def delete(self, last: RecordBlock) -> None:
        """Delete a table's records until those of a block. Raises JournalFailed."""
        with self._file.transaction():
            self._deletion.begin_after(last.table, last.last, last.hash)
        self.end(last.table).base = last.last
        self._deletion.go_on(last.table, last.last)

    def forget(self, table: int) -> None:
        """Delete all records of a table. Raises JournalFailed."""
        end = self.end(table)
        if self._deletion.is_archived:
            self._end_runs([end])
        with self._file.transaction():
            self._deletion.begin_after(table, end.number, end.hash)
            self._sql.execute("DELETE FROM confirmed WHERE table_number = ?", (table,))
        end.forget()
        self._deletion.go_on(table, end.base)

    # Moving records between files.

    def records_of(self, table: int) -> TableRecords:
        """Return all records of a table. Raises JournalFailed."""
        self._move_to_blocks(self._recent.newest)
        end = self.end(table)
        row = self._sql.execute("SELECT hash FROM base WHERE table_number = ?", (table,)).fetchone()
        blocks = self.blocks.between(table, end.base + 1)
        return TableRecords(table, end.base, row[0] if row else ORIGIN, end.confirmed, blocks)

    def adopt(self, records: TableRecords) -> None:
        """Store the records of a table that has none here, all or nothing. Raises JournalFailed."""
        table, base, chain = records.table, records.base, records.base_hash
        end = TableEnd(table, number=base, base=base, hash=chain)
        with self._file.transaction():
            self._sql.execute("INSERT OR REPLACE INTO base VALUES (?,?,?)", (table, base, chain))
            for block in records.blocks:
                self.blocks.insert([block])
                end.follow(block)
            end.confirmed = records.confirmed
            self._store_confirmed([end])
        self.ends[table] = end

    def release(self, table: int) -> None:
        """Delete everything of a table that another file holds. Raises JournalFailed."""
        self._deletion.finish(table)
        self._move_to_blocks(self._recent.newest)
        with self._file.transaction():
            self.blocks.delete(table, LAST_NUMBER)
            self._sql.execute("DELETE FROM base WHERE table_number = ?", (table,))
            self._sql.execute("DELETE FROM confirmed WHERE table_number = ?", (table,))
        del self.ends[table]

    def remove(self) -> None:
        """Close and delete the file. Raises JournalFailed."""
        self._file.remove()
