"""The lobby's data directory: where it is, what a casino needs of it, how a restore replaces it."""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from casino.backup.backup_archive import sync_directory
from casino.errors import BackupFailed

DATABASE = "casino.db"
JOURNALS = "tables"
CARD_KEY = "card-key.pem"
ASIDE = "before-restore-"
"""Prefix of directories with the files that a restore replaced."""
STAGING = ".restoring-"
_LOCK = f"{DATABASE}.lock"
_PARTS_OF_DATABASES = (".lock", "-wal", "-shm", "-journal")
"""Suffixes of files that belong to a running process or to a database that is copied as a whole."""


def files_to_copy(data: Path) -> list[Path]:
    """Return the files but the database, relative to `data`. Raises BackupFailed, OSError."""
    return sorted(path.relative_to(data) for path in _files(data)) if data.is_dir() else []


def _files(data: Path) -> Iterator[Path]:
    for directory, names, files in os.walk(data, onerror=_refuse):
        here = Path(directory)
        if here == data:
            names[:] = [name for name in names if not name.startswith((ASIDE, STAGING))]
        for name in names:
            if (here / name).is_symlink():
                raise BackupFailed(
                    f"{here / name} is a symbolic link to a directory, which is not followed:"
                    " mount or move the directory there"
                )
        for name in files:
            path = here / name
            is_database = here == data and name == DATABASE
            if not is_database and not name.endswith(_PARTS_OF_DATABASES) and path.is_file():
                yield path


def check_replaceable(data: Path) -> None:
    """Raise BackupFailed if a directory holds files and is not a casino's data directory."""
    if not data.exists():
        return
    if not data.is_dir():
        raise BackupFailed(f"{data} is no directory")
    names = {path.name for path in entries_of(data)}
    if names and not names & {DATABASE, JOURNALS, CARD_KEY}:
        raise BackupFailed(f"{data} holds other files than a casino's: choose another directory")


def entries_of(data: Path) -> list[Path]:
    """Return the entries of a data directory that a restore replaces; raises OSError."""
    stays = {_LOCK, "lost+found"}
    return [
        path
        for path in data.iterdir()
        if path.name not in stays and not path.name.startswith((ASIDE, STAGING))
    ]


def _refuse(error: OSError) -> None:
    raise error


_SQLITE, _POSTGRESQL = "sqlite+aiosqlite:///", "postgresql+asyncpg://"


@dataclass(frozen=True)
class CasinoLocation:
    """The data directory, and the database: an SQLite file or the URL of a PostgreSQL database."""

    data: Path
    database: Path | str

    @classmethod
    def of(cls, data: Path, database_url: str | None) -> "CasinoLocation":
        """Read the lobby's settings `CASINO_LOBBY_DATA` and `…_DATABASE`; raises BackupFailed."""
        if not database_url:
            return cls(data, data / DATABASE)
        if database_url.startswith(_SQLITE):
            return cls(data, Path(database_url.removeprefix(_SQLITE)))
        if database_url.startswith(_POSTGRESQL):
            return cls(data, database_url)
        if database_url == "memory":
            raise BackupFailed("the database is `memory`: such a casino stores nothing")
        raise BackupFailed(
            f"no lobby uses such a database: write {_SQLITE}FILE or {_POSTGRESQL}user@host/name"
        )

    @property
    def is_inside(self) -> bool:
        return self.database == self.data / DATABASE


class Replacement:
    """Puts files and directories into place, on one file system."""

    def __init__(self) -> None:
        self._made: list[Path] = []
        self._done: list[tuple[Path, Path]] = []

    def make_directory(self, path: Path) -> None:
        """Create a private directory; raises OSError."""
        path.mkdir(mode=0o700)
        self._made.append(path)

    def rename(self, source: Path, target: Path) -> None:
        """Rename a file or directory to a free name; raises OSError."""
        is_empty_directory = target.is_dir() and not any(target.iterdir())
        if os.path.lexists(target) and not is_empty_directory:
            raise FileExistsError(f"{target} exists")
        source.rename(target)
        self._done.append((source, target))

    def sync(self) -> None:
        """Write the renames to the disk; raises OSError."""
        for directory in {path.parent for pair in self._done for path in pair}:
            if directory.is_dir():
                sync_directory(directory)

    def undo(self) -> None:
        """Undo all renames, the newest first; raises OSError."""
        while self._done:
            source, target = self._done[-1]
            target.rename(source)
            self._done.pop()
        while self._made:
            self._made.pop().rmdir()


@contextlib.contextmanager
def replacement() -> Iterator[Replacement]:
    """Yield renames that are undone if the block raises; an OSError becomes BackupFailed."""
    renames = Replacement()
    try:
        yield renames
        renames.sync()
    except BaseException as error:
        renames.undo()
        if isinstance(error, OSError):
            raise BackupFailed(f"the restore was undone: {error}") from error
        raise


def aside_of(path: Path, prefix: str) -> Path:
    """Return the first free name beside a path: its prefix and a number from 1."""
    number = 1
    while os.path.lexists(path.with_name(f"{prefix}{number}")):
        number += 1
    return path.with_name(f"{prefix}{number}")
