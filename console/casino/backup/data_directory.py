"""The lobby's data directory: which of its files a casino needs after a restore."""

import os
from collections.abc import Iterator
from pathlib import Path

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
    """Return the files of a data directory but the lobby's database, as paths relative to it.

    A file may be a symbolic link, a directory may not. Raises BackupFailed, OSError.
    """
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
