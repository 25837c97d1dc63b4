"""Write a backup of a casino, also while it plays, and restore one."""

import contextlib
import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from casino_agentkit.process.private_file import lock_file, make_private

from casino.backup.backup_archive import (
    ArchiveWriter,
    DatabaseOrigin,
    Manifest,
    new_archive,
    unpack,
)
from casino.backup.data_directory import (
    ASIDE,
    DATABASE,
    JOURNALS,
    STAGING,
    CasinoLocation,
    Replacement,
    aside_of,
    check_replaceable,
    entries_of,
    files_to_copy,
    replacement,
)
from casino.backup.postgres_dump import PostgresDatabase
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
    import fcntl  # noqa: PLC0415  Windows, where matches are played too, has none

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


SQLITE_MEMBER = "database/casino.db"
POSTGRES_MEMBER = "database/casino.dump"
DATA = "data/"
"""Prefix of the members of the data directory."""


@dataclass(frozen=True)
class BackupResult:
    """What was written; `warnings` name damaged files, which are in the backup as they are."""

    manifest: Manifest
    warnings: tuple[str, ...]


def write_backup(
    location: CasinoLocation,
    path: Path,
    *,
    release: str,
    now: datetime,
    environment: Mapping[str, str],
    can_overwrite: bool = False,
) -> BackupResult:
    """Back up a casino's database and data directory into one file; raises BackupFailed.

    The order decides what a restored casino has to repair:

    1. The files are listed. A journal in the list has its room in the database already. A journal
       that is created later would be one of a room that the copied database may not have.
    2. The database is copied, in the state of one moment.
    3. The files are copied. A journal is therefore never older than the database: a table that has
       more events than its lobby delivers them again, and nothing is lost. One with fewer events
       would be replaced by a new epoch, and its running hand cancelled.
    """
    try:
        files = files_to_copy(location.data)
    except OSError as error:
        raise BackupFailed(f"{location.data} cannot be read: {error}") from error
    with new_archive(path, now, can_overwrite=can_overwrite) as archive:
        origin, warnings = _copy_database(location, archive, environment)
        for file in files:
            warnings += _copy_file(location.data, file, archive)
        manifest = archive.finish(release, origin)
    return BackupResult(manifest, tuple(warnings))


def _copy_database(
    location: CasinoLocation, archive: ArchiveWriter, environment: Mapping[str, str]
) -> tuple[DatabaseOrigin, list[str]]:
    copy = archive.staging / "database"
    source = location.database
    if isinstance(source, str):
        database = PostgresDatabase(source, environment)
        schema = database.current_schema()
        if database.is_empty():
            raise BackupFailed(f"the database has no tables in the schema {schema or '(none)'}")
        database.dump(schema, copy)
        archive.add(POSTGRES_MEMBER, copy)
        copy.unlink()
        return DatabaseOrigin(kind="postgresql", db_schema=schema), []
    if not source.is_file() or not is_sqlite(source):
        raise BackupFailed(
            f"{source} is no lobby's database: name the data directory with --data, or the database"
            " with --database"
        )
    damage = copy_database(source, copy)
    archive.add(SQLITE_MEMBER, copy)
    copy.unlink()
    return DatabaseOrigin(kind="sqlite"), [f"{source} is damaged: {damage}"] if damage else []


def _copy_file(data: Path, file: Path, archive: ArchiveWriter) -> list[str]:
    source, copy = data / file, archive.staging / "file"
    member = DATA + file.as_posix()
    try:
        if not is_sqlite(source):
            archive.add(member, source)
            return []
        damage = copy_journal(source, copy)
    except FileNotFoundError:
        return []  # its room ended meanwhile
    archive.add(member, copy)
    for part in ("", "-wal", "-shm"):
        Path(f"{copy}{part}").unlink(missing_ok=True)
    return [f"{source} is damaged: {damage}"] if damage else []


_PARTS = ("", "-wal", "-shm")
"""Suffixes of the files of an SQLite database."""


@dataclass(frozen=True)
class RestoreResult:
    """What was restored, and where what was there before is kept."""

    manifest: Manifest
    kept: tuple[str, ...]


def restore_backup(
    path: Path,
    location: CasinoLocation,
    *,
    release: str,
    environment: Mapping[str, str],
    can_replace: bool = False,
) -> RestoreResult:
    """Restore a backup while no lobby runs; what was there before is kept under another name.

    `can_replace` allows a PostgreSQL database that has tables. Raises BackupFailed, and has then
    changed nothing.
    """
    data = location.data.resolve()
    check_replaceable(data)
    try:
        with ExitStack() as stack:
            _hold(location, stack)
            if isinstance(location.database, str):
                PostgresDatabase(location.database, environment).check_free()
            # On the file system of the data directory, so that it can be renamed.
            is_mounted = data.is_mount()
            beside = data if is_mounted else data.parent
            make_private(beside)
            directory = tempfile.TemporaryDirectory(prefix=STAGING, dir=beside)
            staging = Path(stack.enter_context(directory))
            manifest = unpack(path, staging, release)
            return _put_in_place(manifest, staging, location, environment, can_replace=can_replace)
    except OSError as error:
        raise BackupFailed(f"{path} cannot be restored: {error}") from error


def _hold(location: CasinoLocation, stack: ExitStack) -> None:
    """Hold the lock of an existing SQLite database.

    Raises BackupFailed if a lobby does, or if a table of a killed lobby still plays: it would
    deliver events to the restored lobby that its restored journal does not have.
    """
    for database in {location.database, location.data / DATABASE}:
        if isinstance(database, Path) and database.exists():
            try:
                stack.callback(os.close, lock_file(database))
            except BlockingIOError as error:
                raise BackupFailed(f"a lobby holds {database}: stop the lobby first") from error
    for journal in (location.data / JOURNALS).glob("*/*.journal"):
        if is_held(journal):
            raise BackupFailed(f"a table holds {journal}: wait until its process has ended")


def _put_in_place(
    manifest: Manifest,
    staging: Path,
    location: CasinoLocation,
    environment: Mapping[str, str],
    *,
    can_replace: bool,
) -> RestoreResult:
    restored = staging / DATA
    restored.mkdir(mode=0o700, exist_ok=True)
    kind, schema = manifest.database.kind, manifest.database.db_schema
    target = location.database
    if kind == "postgresql":
        if not isinstance(target, str):
            raise BackupFailed(
                "the backup holds a PostgreSQL database: name the one to restore into with"
                " --database or CASINO_LOBBY_DATABASE"
            )
        database = PostgresDatabase(target, environment)
        database.check_restorable(schema or "", can_replace=can_replace)
        with (
            database.restoring(staging / POSTGRES_MEMBER, schema or "") as aside,
            replacement() as renames,
        ):
            kept = list(_replace_directory(restored, location.data.resolve(), renames))
        return RestoreResult(manifest, (*kept, *([f"schema {aside}"] if aside else [])))
    if isinstance(target, str):
        raise BackupFailed(
            "the backup holds an SQLite database, which cannot be restored into PostgreSQL: unset"
            " CASINO_LOBBY_DATABASE and leave out --database"
        )
    copied = staging / SQLITE_MEMBER
    with replacement() as renames:
        kept = []
        if location.is_inside:
            copied.rename(restored / DATABASE)
        else:
            kept += _replace_database(copied, target.resolve(), renames)
        kept += _replace_directory(restored, location.data.resolve(), renames)
    return RestoreResult(manifest, tuple(kept))


def _replace_directory(restored: Path, data: Path, renames: Replacement) -> Iterator[str]:
    """Put a restored data directory into place; yield the name of the previous one, if any."""
    if data.is_mount():
        yield from _replace_entries(restored, data, renames)
        return
    if data.exists() and any(data.iterdir()):
        aside = aside_of(data, f"{data.name}.{ASIDE}")
        renames.rename(data, aside)
        yield str(aside)
    renames.rename(restored, data)


def _replace_entries(restored: Path, data: Path, renames: Replacement) -> Iterator[str]:
    """Replace the entries of a mount point, which itself cannot be renamed.

    The database goes first and comes last: with an incomplete data directory there is none.
    """
    if present := entries_of(data):
        aside = aside_of(data / ASIDE, ASIDE)
        renames.make_directory(aside)
        for path in sorted(present, key=lambda path: path.name != DATABASE):
            renames.rename(path, aside / path.name)
        yield str(aside)
    for path in sorted(restored.iterdir(), key=lambda path: path.name == DATABASE):
        renames.rename(path, data / path.name)


def _replace_database(copied: Path, target: Path, renames: Replacement) -> Iterator[str]:
    make_private(target.parent)
    aside = aside_of(target, f"{target.name}.{ASIDE}")
    for part in _PARTS:
        with contextlib.suppress(FileNotFoundError):
            renames.rename(Path(f"{target}{part}"), Path(f"{aside}{part}"))
            if not part:
                yield str(aside)
    renames.rename(copied, target)
