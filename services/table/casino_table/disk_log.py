"""A journal's log as a file: SQLite in WAL mode, one transaction per record, a chain of hashes.

What survives: a killed process loses nothing; a power loss loses at most the last moments, as far
as `synchronous` says (off, normal, full: with full nothing).
A byte that was cut or changed is never a silently changed record: what is lost from the write-ahead
log is a lost tail, and damage before it is refused when the log is opened, naming the record.
"""

import contextlib
import hashlib
import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import orjson

from casino_table.journal import Entry, JournalFailed, Record

Synchronous = Literal["off", "normal", "full"]

SESSIONS_KEPT = 3
"""So many of the newest sessions are kept whole; older ones go when the next begins."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS record (
    number INTEGER PRIMARY KEY,
    epoch INTEGER NOT NULL,
    kind TEXT NOT NULL,
    content BLOB NOT NULL,
    state BLOB,
    first_sequence INTEGER NOT NULL,
    last_sequence INTEGER NOT NULL,
    events BLOB NOT NULL,
    hash BLOB NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS record_events ON record (epoch, last_sequence);
CREATE TABLE IF NOT EXISTS base (number INTEGER NOT NULL, hash BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS delivered (epoch INTEGER PRIMARY KEY, sequence INTEGER NOT NULL) STRICT;
"""
_INSERT = "INSERT INTO record VALUES (?,?,?,?,?,?,?,?,?)"
_SELECT = (
    "SELECT number, epoch, kind, content, state, first_sequence, last_sequence, events, hash"
    " FROM record ORDER BY number"
)
_ORIGIN = bytes(16)
_SESSION = "session"


class DiskLog:
    """One table's log in one file, held by one process at a time."""

    is_durable = True

    def __init__(
        self, path: Path, *, synchronous: Synchronous = "normal", min_free_bytes: int = 8 * 2**20
    ) -> None:
        """Open or create it; raises JournalFailed when it is held, damaged or cannot be written."""
        self._path = path
        self._min_free = min_free_bytes
        self._last = 0
        self._hash = _ORIGIN
        self._hint: tuple[int, int] | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # The write-ahead log takes its mode from the file: hole cards are nobody's business.
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            self._sql = sqlite3.connect(path, isolation_level=None, timeout=0)
        except (OSError, sqlite3.Error) as error:
            raise JournalFailed(f"the journal {path} cannot be opened: {error}") from error
        try:
            self._open(synchronous)
        except sqlite3.Error as error:
            self._sql.close()
            raise JournalFailed(self._told(error)) from error

    def _open(self, synchronous: Synchronous) -> None:
        # Exclusive before the first read: one process holds it, and there is no shared memory file.
        self._sql.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._sql.execute("PRAGMA journal_mode = WAL")
        self._sql.execute(f"PRAGMA synchronous = {synchronous}")
        self._sql.executescript(_SCHEMA)
        self._verify()

    def _told(self, error: sqlite3.Error) -> str:
        if "locked" in str(error):
            return f"the journal {self._path} is held by another process"
        return (
            f"the journal {self._path} is damaged at record {self._last + 1}: {error};"
            " restore it, or move it away to begin anew"
        )

    def _verify(self) -> None:
        """Walk the chain from its base; raises sqlite3.Error at the first record that is off.

        Records are a tree of pages to SQLite, with an index beside it, so its own check comes with
        it: a page that lost its last records would otherwise look like an end.
        """
        base = self._sql.execute("SELECT number, hash FROM base").fetchone()
        if base is not None:
            self._last, self._hash = base
        rows = self._sql.execute(_SELECT)
        for *columns, found in rows:
            if columns[0] != self._last + 1 or found != _chained(self._hash, columns):
                raise sqlite3.DatabaseError("its hash is not that of its content")
            self._last, self._hash = columns[0], found
        (verdict,) = self._sql.execute("PRAGMA integrity_check(1)").fetchone()
        if verdict != "ok":
            raise sqlite3.DatabaseError(verdict)

    def write(self, epoch: int, record: Record, entries: Sequence[Entry]) -> None:
        """Commit a record with its events, all or nothing; raises JournalFailed."""
        first, last = (entries[0].sequence, entries[-1].sequence) if entries else (0, 0)
        columns = [
            self._last + 1,
            epoch,
            record.kind,
            orjson.dumps(record.content),
            None if record.table is None else orjson.dumps(record.table),
            first,
            last,
            b"\n".join(entry.content for entry in entries),
        ]
        found = _chained(self._hash, columns)
        try:
            self._sql.execute("BEGIN IMMEDIATE")
            try:
                self._sql.execute(_INSERT, (*columns, found))
                if self._hint is not None:
                    self._sql.execute("INSERT OR REPLACE INTO delivered VALUES (?,?)", self._hint)
                self._sql.execute("COMMIT")
            except sqlite3.Error:
                if self._sql.in_transaction:
                    self._sql.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise JournalFailed(f"the journal {self._path} takes nothing: {error}") from error
        self._last, self._hash, self._hint = self._last + 1, found, None

    def tail(self) -> tuple[int, list[Record]]:
        """Return the epoch, and the records from the last one that holds the table's state."""
        (start,) = self._sql.execute(
            "SELECT max(number) FROM record WHERE state IS NOT NULL"
        ).fetchone()
        if start is None:
            return 1, []
        rows = self._sql.execute(
            "SELECT epoch, kind, content, state FROM record WHERE number >= ? ORDER BY number",
            (start,),
        ).fetchall()
        return rows[-1][0], [
            Record(kind, orjson.loads(content), None if state is None else orjson.loads(state))
            for _epoch, kind, content, state in rows
        ]

    def entries(self, epoch: int, after: int, limit: int) -> list[Entry]:
        """Return events of an epoch after a sequence."""
        found: list[Entry] = []
        rows = self._sql.execute(
            "SELECT first_sequence, events FROM record WHERE epoch = ? AND last_sequence > ?"
            " ORDER BY number LIMIT ?",
            (epoch, after, limit),
        )
        for first, events in rows:
            for sequence, content in enumerate(events.split(b"\n"), start=first):
                if sequence > after and len(found) < limit:
                    found.append(Entry(sequence, content))
        return found

    def last_sequence(self, epoch: int) -> int:
        """Return the number of an epoch's last event, 0 when there is none."""
        (last,) = self._sql.execute(
            "SELECT coalesce(max(last_sequence), 0) FROM record WHERE epoch = ?", (epoch,)
        ).fetchone()
        return int(last)

    def delivered(self, epoch: int, sequence: int) -> None:
        """Remember how far the lobby is, with the next record."""
        self._hint = (epoch, sequence)

    def delivered_until(self, epoch: int) -> int:
        """Return what was remembered."""
        row = self._sql.execute(
            "SELECT sequence FROM delivered WHERE epoch = ?", (epoch,)
        ).fetchone()
        return int(row[0]) if row else 0

    def has_room(self) -> bool:
        """Tell whether a whole hand can still be written."""
        free = os.statvfs(self._path.parent)
        return free.f_bavail * free.f_frsize >= self._min_free

    def forget(self) -> None:
        """Begin anew: the records of a closed table go, its seeds among them."""
        self._drop(self._last + 1)

    def compact(self) -> None:
        """Drop what lies before the newest sessions, once the lobby has confirmed it."""
        begins = self._sql.execute(
            "SELECT number, epoch, first_sequence FROM record WHERE kind = ? ORDER BY number DESC"
            " LIMIT 1 OFFSET ?",
            (_SESSION, SESSIONS_KEPT - 1),
        ).fetchone()
        if begins is None:
            return
        first, epoch, sequence = begins
        confirmed = self._hint[1] if self._hint else self.delivered_until(epoch)
        if sequence <= confirmed + 1:
            self._drop(first)

    def _drop(self, first: int) -> None:
        """Drop the records before one; the chain begins there."""
        row = self._sql.execute("SELECT hash FROM record WHERE number = ?", (first - 1,)).fetchone()
        if row is None:
            return
        try:
            self._sql.execute("BEGIN IMMEDIATE")
            self._sql.execute("DELETE FROM record WHERE number < ?", (first,))
            self._sql.execute("DELETE FROM base")
            self._sql.execute("INSERT INTO base VALUES (?,?)", (first - 1, row[0]))
            self._sql.execute("COMMIT")
        except sqlite3.Error as error:
            if self._sql.in_transaction:
                self._sql.execute("ROLLBACK")
            raise JournalFailed(f"the journal {self._path} takes nothing: {error}") from error

    def close(self) -> None:
        """Let go of the file."""
        if self._hint is not None:
            with contextlib.suppress(sqlite3.Error):  # a hint
                self._sql.execute("INSERT OR REPLACE INTO delivered VALUES (?,?)", self._hint)
        self._sql.close()


def _chained(before: bytes, columns: Sequence[Any]) -> bytes:
    """Return the hash of a record and, through the one before, of all that went before it."""
    number, epoch, kind, content, state, first, last, events = columns
    state = state or b""
    sizes = f"{number} {epoch} {kind} {first} {last} {len(content)} {len(state)} "
    whole = b"".join((before, sizes.encode(), content, state, events))
    return hashlib.blake2b(whole, digest_size=16).digest()
