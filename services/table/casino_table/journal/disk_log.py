"""A journal's log in a SQLite file: one transaction per record, with a hash chain.

A killed process loses nothing. A power loss costs at most the newest records, depending on
`synchronous` (off, normal, full); with `full` nothing.
Damage is detected when the log is opened: records lost from the write-ahead log shorten the tail,
and a damaged record raises JournalFailed with its number.
"""

import contextlib
import hashlib
import os
import sqlite3
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import orjson
import structlog
from casino_agentkit.process.private_directory import make_private

from casino_table.errors import JournalDamaged, JournalFailed, JournalHeld
from casino_table.journal.codec import RecordCodec
from casino_table.journal.journal import SETTLED, JournalRecord, SequencedEvent
from casino_table.journal.record_range import RecordRange
from casino_table.journal.retention import HandRetention

Synchronous = Literal["off", "normal", "full"]

SESSIONS_KEPT = 3
"""Number of newest sessions that are kept; older ones are deleted when a session starts."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS record (
    number INTEGER PRIMARY KEY, body BLOB NOT NULL, hash BLOB NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS base (number INTEGER NOT NULL, hash BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS delivered (epoch INTEGER PRIMARY KEY, sequence INTEGER NOT NULL) STRICT;
"""
_ORIGIN = bytes(16)
_SESSION = "session"
_HELD = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
"""Error codes of a file that another process has locked."""

logger = structlog.get_logger(__name__)


class DiskLog:
    """One table's log in one file, held by one process at a time.

    With `keep_hands` it deletes older completed hands once the lobby has confirmed their events.
    """

    is_durable = True

    def __init__(
        self,
        path: Path,
        *,
        synchronous: Synchronous = "normal",
        min_free_bytes: int = 8 * 2**20,
        keep_hands: int | None = None,
    ) -> None:
        """Open or create the file.

        Raises JournalHeld, or JournalFailed if it is damaged or cannot be written.
        """
        self._path = path
        self._min_free = min_free_bytes
        self._last = 0
        self._hash = _ORIGIN
        self._first = 1
        self._reached: tuple[int, int] | None = None
        self._hint: tuple[int, int] | None = None
        self._retention = None if keep_hands is None else HandRetention(keep_hands)
        try:
            make_private(path.parent)
            # The write-ahead log inherits the mode of the file: only the owner may read hole cards.
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            self._sql = sqlite3.connect(path, isolation_level=None, timeout=0)
        except (OSError, sqlite3.Error) as error:
            raise JournalFailed(f"the journal {path} cannot be opened: {error}") from error
        try:
            self._open(synchronous)
        except sqlite3.Error as error:
            self._sql.close()
            if getattr(error, "sqlite_errorcode", None) in _HELD:
                raise JournalHeld(f"the journal {path} is held by another process") from error
            raise JournalDamaged(
                f"the journal {path} is damaged at record {self._last + 1}: {error};"
                " restore it, or move it away to start with an empty journal"
            ) from error

    def _open(self, synchronous: Synchronous) -> None:
        # Exclusive before the first read: one process at a time, and no shared memory file.
        self._sql.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._sql.execute("PRAGMA journal_mode = WAL")
        self._sql.execute(f"PRAGMA synchronous = {synchronous}")
        self._sql.executescript(_SCHEMA)
        self._verify()

    def _verify(self) -> None:
        """Verify the hash chain from its base; raises sqlite3.Error at the first wrong record.

        SQLite's own check runs too: a page that lost its last records would otherwise look like the
        end of the table.
        """
        base = self._sql.execute("SELECT number, hash FROM base").fetchone()
        if base is not None:
            self._last, self._hash = base
        self._first = self._last + 1
        last, chain, hashed = self._last, self._hash, hashlib.blake2b
        rows = self._sql.execute("SELECT number, body, hash FROM record ORDER BY number")
        for number, body, stored in rows:
            chain = hashed(chain + body, digest_size=16).digest()
            if stored != chain or number != last + 1:
                self._last = last
                raise sqlite3.DatabaseError("its hash does not match its content")
            last = number
            if self._retention is not None and (read := RecordCodec.unpacked(body)).state:
                self._retention.note(number, read.record())
        self._last, self._hash = last, chain
        (verdict,) = self._sql.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise sqlite3.DatabaseError(verdict)

    def write(self, epoch: int, record: JournalRecord, entries: Sequence[SequencedEvent]) -> None:
        """Commit a record with its events, all or nothing; raises JournalFailed."""
        body = RecordCodec(
            record.kind,
            epoch,
            entries[0].sequence if entries else 0,
            entries[-1].sequence if entries else self.last_sequence(epoch),
            orjson.dumps(record.content),
            b"" if record.table is None else orjson.dumps(record.table),
            b"\n".join(entry.content for entry in entries),
        )
        packed = body.packed()
        chain = hashlib.blake2b(self._hash + packed, digest_size=16).digest()
        with self._transaction():
            self._sql.execute("INSERT INTO record VALUES (?,?,?)", (self._last + 1, packed, chain))
            if self.last_sequence(epoch) == 0:  # what was confirmed is of an earlier room
                self._sql.execute("DELETE FROM delivered WHERE epoch = ?", (epoch,))
            elif self._hint is not None:
                self._sql.execute("INSERT OR REPLACE INTO delivered VALUES (?,?)", self._hint)
        self._last, self._hash, self._hint = self._last + 1, chain, None
        self._reached = (epoch, body.last_sequence)
        if self._retention is not None and record.table is not None:
            self._retention.note(self._last, record)
            if record.kind == SETTLED:
                self._delete_surplus(self._retention)

    def _delete_surplus(self, retention: HandRetention) -> None:
        """Delete the oldest hands if there are too many.

        Raises nothing, because the hand just played is committed: a failure is logged, and the next
        hand tries again.
        """
        try:
            first = retention.surplus()
            if first is not None and self._is_confirmed_before(first):
                self._drop(first)
        except (JournalFailed, sqlite3.Error) as error:
            logger.warning("journal_not_trimmed", path=str(self._path), error=str(error))

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """Commit all statements of the block or none; raises JournalFailed."""
        try:
            self._sql.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._sql.execute("COMMIT")
            except sqlite3.Error:
                if self._sql.in_transaction:
                    self._sql.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise JournalFailed(f"the journal {self._path} cannot be written: {error}") from error

    def _body(self, number: int) -> RecordCodec:
        (body,) = self._sql.execute(
            "SELECT body FROM record WHERE number = ?", (number,)
        ).fetchone()
        return RecordCodec.unpacked(body)

    def tail(self) -> tuple[int, list[JournalRecord]]:
        """Return the epoch, and the records since the last one with the table's full state."""
        bodies = self._records.back_to_state(self._last)
        return (bodies[0].epoch, [body.record() for body in bodies]) if bodies else (1, [])

    @property
    def _records(self) -> RecordRange:
        return RecordRange(self._first, self._last, self._body)

    def hand(self, number: int) -> list[JournalRecord]:
        """Return the records of a completed hand, from the table's state before it."""
        return self._records.hand(number)

    def entries(self, epoch: int, after: int, limit: int) -> list[SequencedEvent]:
        """Return events of an epoch after a sequence; epochs and sequences only increase."""
        numbers = range(self._first, self._last + 1)
        start = bisect_right(
            numbers,
            (epoch, after),
            key=lambda number: (self._body(number).epoch, self._body(number).last_sequence),
        )
        entries: list[SequencedEvent] = []
        for number in numbers[start:]:
            body = self._body(number)
            if body.epoch != epoch or len(entries) >= limit:
                break
            entries += [entry for entry in body.entries() if entry.sequence > after]
        return entries[:limit]

    def last_sequence(self, epoch: int) -> int:
        """Return the sequence of the current epoch's newest event; 0 for any other epoch."""
        if self._reached is None and self._last >= self._first:
            body = self._body(self._last)
            self._reached = (body.epoch, body.last_sequence)
        return self._reached[1] if self._reached and self._reached[0] == epoch else 0

    def delivered(self, epoch: int, sequence: int) -> None:
        """Store what the lobby has confirmed, together with the next record."""
        self._hint = (epoch, sequence)

    def delivered_until(self, epoch: int) -> int:
        """Return the last confirmed sequence of an epoch; 0 if there is none."""
        if self._hint is not None and self._hint[0] == epoch:
            return self._hint[1]
        row = self._sql.execute(
            "SELECT sequence FROM delivered WHERE epoch = ?", (epoch,)
        ).fetchone()
        return int(row[0]) if row else 0

    def has_disk_space(self) -> bool:
        """Return whether the disk has space for a whole hand."""
        free = os.statvfs(self._path.parent)
        return free.f_bavail * free.f_frsize >= self._min_free

    def forget(self) -> None:
        """Delete all records of a closed table, its seeds among them."""
        self._drop(self._last + 1)
        self._reached = self._hint = None

    def compact(self) -> None:
        """Delete records before the newest sessions, once the lobby has confirmed them.

        Not those of hands that `keep_hands` keeps.
        """
        begins = self._sql.execute(
            "SELECT number FROM record WHERE substr(body, 1, 8) = ? ORDER BY number DESC"
            " LIMIT 1 OFFSET ?",
            (f"{_SESSION} ".encode(), SESSIONS_KEPT - 1),
        ).fetchone()
        if begins is None:
            return
        first: int = begins[0]
        if self._retention is not None:
            first = min(first, self._retention.first_needed() or first)
        if self._is_confirmed_before(first):
            self._drop(first)

    def _is_confirmed_before(self, first: int) -> bool:
        """Return whether the lobby has confirmed all events before a record.

        Those of an older epoch count as confirmed: the lobby takes none of them any more.
        """
        body = self._body(first)
        if body.epoch != self._body(self._last).epoch:
            return True
        newest = body.first_sequence - 1 if body.first_sequence else body.last_sequence
        return newest <= self.delivered_until(body.epoch)

    def _drop(self, first: int) -> None:
        """Delete the records before `first`; the hash chain begins there."""
        row = self._sql.execute("SELECT hash FROM record WHERE number = ?", (first - 1,)).fetchone()
        if row is None:
            return
        with self._transaction():
            self._sql.execute("DELETE FROM record WHERE number < ?", (first,))
            self._sql.execute("DELETE FROM base")
            self._sql.execute("INSERT INTO base VALUES (?,?)", (first - 1, row[0]))
        self._first = first
        if self._retention is not None:
            self._retention.forget_before(first)

    def close(self) -> None:
        """Close the file and release its lock."""
        if self._hint is not None:
            with contextlib.suppress(sqlite3.Error):  # a lost hint only repeats deliveries
                self._sql.execute("INSERT OR REPLACE INTO delivered VALUES (?,?)", self._hint)
        self._sql.close()
