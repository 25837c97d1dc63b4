"""Restore a casino from a backup, completely or not at all."""

import contextlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from casino_agentkit.process.locked_file import lock_file
from casino_agentkit.process.private_directory import make_private

from casino.backup.archive import unpack
from casino.backup.backup import DATA, POSTGRES_MEMBER, SQLITE_MEMBER
from casino.backup.data_directory import (
    ASIDE,
    DATABASE,
    JOURNALS,
    STAGING,
    check_replaceable,
    entries_of,
)
from casino.backup.location import CasinoLocation
from casino.backup.manifest import Manifest
from casino.backup.postgres import PostgresDatabase
from casino.backup.replacement import Replacement, aside_of, replacement
from casino.backup.sqlite_copy import is_held
from casino.errors import BackupFailed

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
    """Replace a database outside the data directory."""
    make_private(target.parent)
    aside = aside_of(target, f"{target.name}.{ASIDE}")
    for part in _PARTS:
        with contextlib.suppress(FileNotFoundError):
            renames.rename(Path(f"{target}{part}"), Path(f"{aside}{part}"))
            if not part:
                yield str(aside)
    renames.rename(copied, target)
