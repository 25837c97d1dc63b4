"""The newest commits of a journal file: one row for the records of all tables of a commit."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from casino_compression import RecordCompressor

from casino_table.journal.codec import StoredRecord, records_in
from casino_table.journal.exclusive_file import ExclusiveFile
from casino_table.journal.table_tail import ORIGIN, hash_after

MOST_BYTES = 4 * 2**20
"""Bytes of all rows at which the older half of them is deleted."""
RECENT = """
CREATE TABLE IF NOT EXISTS recent (
    number INTEGER PRIMARY KEY, body BLOB NOT NULL, hash BLOB NOT NULL
) STRICT;
"""
_COMMITS = 0
"""Where `base` has the base of the commits' hash chain: no table has this number."""


class Commit(NamedTuple):
    """A row: records of several tables, with a hash over all rows until it."""

    number: int
    body: bytes
    hash: bytes


class RecentCommits:
    """The rows of a file, which are verified when they are read for the first time.

    Every method may raise sqlite3.Error.
    """

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
        """Whether older rows should be deleted."""
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
                raise self._file.damaged(f"at {_named(commit, records)}: its hash does not match")
            self.follow(commit)
            for record in records:
                yield commit.number, record

    def _records_in(self, commit: Commit) -> list[StoredRecord]:
        try:
            return list(records_in(self._compressor.decompress(commit.body)))
        except (ValueError, LookupError, TypeError) as error:
            raise self._file.damaged(f"at commit {commit.number}: it cannot be read") from error

    def next(self, texts: Sequence[bytes]) -> Commit:
        """Return the next commit, of encoded records."""
        body = self._compressor.compress(b"".join(texts))
        return Commit(self.newest + 1, body, hash_after(self._hash, body))

    def insert(self, commit: Commit) -> None:
        """Store a commit; `follow` it when the transaction is over."""
        self._sql.execute("INSERT INTO recent VALUES (?,?,?)", commit)

    def follow(self, commit: Commit) -> None:
        """Go on after a commit."""
        self.newest, self._hash = commit.number, commit.hash
        self._bytes += len(commit.body) + len(commit.hash)

    def middle(self) -> int:
        """Return the number of the commit at the end of the older half."""
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


def _named(commit: Commit, records: Sequence[StoredRecord]) -> str:
    """Return what a commit holds first."""
    if not records:
        return f"commit {commit.number}"
    return f"record {records[0].number} of table {records[0].table}"
