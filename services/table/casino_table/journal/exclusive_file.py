"""SQLite files that one process at a time holds, and only their owner may read."""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from casino_agentkit.process.private_file import make_private

from casino_table.errors import JournalDamaged, JournalFailed, JournalHeld

Synchronous = Literal["off", "normal", "full"]
_HELD = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
"""Error codes of a file that another process has locked."""


class ExclusiveFile:
    """A file in WAL mode, from its opening until `close`."""

    def __init__(
        self, path: Path, schema: str, *, synchronous: Synchronous = "normal", wait_s: float = 0
    ) -> None:
        """Open it within `wait_s`. Raises JournalHeld, JournalDamaged, JournalFailed."""
        self.path = path
        try:
            make_private(path.parent)
            # The write-ahead log inherits the mode of the file: only the owner may read hole cards.
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            self.sql = sqlite3.connect(path, isolation_level=None, timeout=wait_s)
        except (OSError, sqlite3.Error) as error:
            raise JournalFailed(f"the journal {path} cannot be opened: {error}") from error
        try:
            # Exclusive before the first read: one process at a time, and no shared memory file.
            self.sql.execute("PRAGMA locking_mode = EXCLUSIVE")
            self.sql.execute("PRAGMA journal_mode = WAL")
            self.sql.execute(f"PRAGMA synchronous = {synchronous}")
            self.sql.executescript(schema)
        except sqlite3.Error as error:
            self.close()
            if getattr(error, "sqlite_errorcode", None) in _HELD:
                raise JournalHeld(f"the journal {path} is held by another process") from error
            raise self.damaged(f"at its beginning: {error}") from error

    def damaged(self, where: str) -> JournalDamaged:
        return JournalDamaged(
            f"the journal {self.path} is damaged {where};"
            " restore it, or move it away to start with an empty journal"
        )

    def not_written(self, error: sqlite3.Error) -> JournalFailed:
        return JournalFailed(f"the journal {self.path} cannot be written: {error}")

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit all statements of the block or none; raises JournalFailed."""
        try:
            self.sql.execute("BEGIN IMMEDIATE")
            yield
            self.sql.execute("COMMIT")
        except BaseException as error:
            with contextlib.suppress(sqlite3.Error):
                self.sql.rollback()
            if isinstance(error, sqlite3.Error):
                raise self.not_written(error) from error
            raise

    def close(self) -> None:
        self.sql.close()

    def remove(self) -> None:
        """Close the file and delete it. Raises JournalFailed."""
        try:
            self.path.unlink(missing_ok=True)  # still locked: nobody opens it in between
            self.close()
            Path(f"{self.path}-wal").unlink(missing_ok=True)
        except OSError as error:
            raise JournalFailed(f"the journal {self.path} cannot be deleted: {error}") from error
