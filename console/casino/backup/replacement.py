"""Renames that are undone together when one of them fails."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from casino.backup.archive import sync_directory
from casino.errors import BackupFailed


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
