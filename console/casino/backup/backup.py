"""Write a backup of a casino, also while it plays."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from casino.backup.archive import ArchiveWriter, new_archive
from casino.backup.data_directory import files_to_copy
from casino.backup.location import CasinoLocation
from casino.backup.manifest import DatabaseOrigin, Manifest
from casino.backup.postgres import PostgresDatabase
from casino.backup.sqlite_copy import copy_database, copy_journal, is_sqlite
from casino.errors import BackupFailed

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
