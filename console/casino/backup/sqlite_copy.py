"""Consistent copies of SQLite files that other processes write meanwhile."""

import fcntl
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from casino.errors import BackupFailed

_MAGIC = b"SQLite format 3\0"
_WAL_VERSION = (2, 2)
"""Bytes 18 and 19 of the header of a file in WAL mode."""
_WAL_HEADER = 32
"""Bytes; it has two salts, which are new whenever the write-ahead log begins again."""
_SHARED_FIRST, _SHARED_SIZE = 0x4000_0002, 510
"""The bytes that SQLite locks in a file: for reading one of them, all for exclusive use."""
_ATTEMPTS = 20
_BUSY_ATTEMPTS = 40
"""Of a quarter of a second each, by `Connection.backup`."""


def is_sqlite(path: Path) -> bool:
    """Return whether a file is an SQLite database; raises OSError."""
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def is_held(path: Path) -> bool:
    """Return whether a process holds a file's exclusive lock, as a table does; raises OSError."""
    with path.open("rb") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB, _SHARED_SIZE, _SHARED_FIRST)
        except BlockingIOError:
            return True
    return False


def copy_database(source: Path, target: Path) -> str | None:
    """Copy a database by SQLite's online backup; return what damage the copy has, if any.

    The copy is the state of one moment: all pages are read in one transaction, which blocks no
    writer. Raises BackupFailed.
    """
    busy = 0

    def on_progress(status: int, _remaining: int, _total: int) -> None:
        nonlocal busy
        busy += status in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
        if busy > _BUSY_ATTEMPTS:
            raise BackupFailed(f"{source} is locked by another process: try again later")

    try:
        with (
            closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=rw", uri=True)) as original,
            closing(sqlite3.connect(target)) as copy,
        ):
            original.backup(copy, pages=-1, progress=on_progress)
        return damage_of(target)
    except sqlite3.Error as error:
        raise BackupFailed(f"{source} cannot be copied: {error}") from error


def copy_journal(
    source: Path,
    target: Path,
    *,
    copy_file: Callable[[Path, Path], object] = shutil.copyfile,
    sleep: Callable[[float], None] = time.sleep,
) -> str | None:
    """Copy a database that its process locks exclusively; return what damage the copy has, if any.

    A table locks its journal against every SQLite connection, so the file is copied, and then its
    write-ahead log. As long as that log did not begin again meanwhile, every page that a checkpoint
    may have changed during the copy is also in the log, and opening the copy applies it: the copy
    has every record that was committed before. Raises BackupFailed, OSError.
    """
    if not _is_in_wal_mode(source):
        return copy_database(source, target)
    log, copied_log = Path(f"{source}-wal"), Path(f"{target}-wal")
    damage: str | None = None
    for attempt in range(_ATTEMPTS):
        before = _generation(source, log)
        copy_file(source, target)
        copied_log.unlink(missing_ok=True)
        try:
            copy_file(log, copied_log)
        except FileNotFoundError:
            copied_log.touch()
        if _header(copied_log) == before[0] and _generation(source, log) == before:
            damage = damage_of(target)
            if damage is None:
                return None
        sleep(0.01 * attempt)
    if damage is None:
        raise BackupFailed(f"{source} changes faster than it can be copied: try again later")
    return damage


def damage_of(path: Path) -> str | None:
    """Apply the write-ahead log of a database of ours; return what SQLite's check finds, if any."""
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            (verdict,) = database.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        return str(error)
    return None if verdict == "ok" else str(verdict)


def _is_in_wal_mode(path: Path) -> bool:
    with path.open("rb") as file:
        return tuple(file.read(20)[18:20]) == _WAL_VERSION


def _generation(source: Path, log: Path) -> tuple[bytes, int]:
    """Return what changes when the log begins again, or when a file without a log changes."""
    header = _header(log)
    return header, 0 if header else source.stat().st_mtime_ns


def _header(log: Path) -> bytes:
    try:
        with log.open("rb") as file:
            return file.read(_WAL_HEADER)
    except FileNotFoundError:
        return b""
