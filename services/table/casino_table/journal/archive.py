"""The archive: records that a journal deletes, in compressed files that are never changed.

A file holds a range of one table's records as lines of JSON: `zstdcat FILE` prints them. They
contain seeds and hole cards, so files and directory are private as those of the journal.
"""

import os
from collections.abc import Iterable
from pathlib import Path

import zstandard
from casino_agentkit.process.private_directory import make_private

SUFFIX = ".jsonl.zst"
_PART = ".part"


class Archive:
    """A directory of archived records; several processes may share it."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def store(self, name: str, runs: Iterable[bytes]) -> None:
        """Store a range of records under a name, which follows from its content.

        A file of this name is complete, and stays as it is. Raises OSError.
        """
        path = self.directory / f"{name}{SUFFIX}"
        if path.exists():
            return
        make_private(self.directory)
        part = path.with_name(f"{path.name}{_PART}")
        part.unlink(missing_ok=True)  # of a process that was killed
        content = zstandard.ZstdCompressor().compress(b"".join(runs))
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.rename(path)
        self._sync_directory()

    def _sync_directory(self) -> None:
        descriptor = os.open(self.directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
