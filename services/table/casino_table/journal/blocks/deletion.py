"""Delete the oldest blocks of a table; with an archive, only after they are in it."""

import itertools
import sqlite3
from collections.abc import Callable

import structlog
from casino_compression import DamagedRecord

from casino_table.errors import JournalFailed
from casino_table.journal.archive import Archive
from casino_table.journal.blocks.store import BlockStore
from casino_table.journal.exclusive_file import ExclusiveFile
from casino_table.journal.table_tail import Block

MOST_ARCHIVED = 200
"""Blocks that are archived together, so that a commit never waits for long."""

logger = structlog.get_logger(__name__)


class BlockDeletion:
    """Deletes blocks of a file. `read` returns the records of a block.

    The base of a table's hash chain says what is deleted. Without an archive the blocks before it
    go in the same transaction. With one they are archived and deleted later, a few at each call of
    `go_on`; a process that is killed in between archives the same blocks under the same name.
    """

    def __init__(
        self,
        file: ExclusiveFile,
        blocks: BlockStore,
        archive: Archive | None,
        read: Callable[[Block], bytes],
    ) -> None:
        self._file = file
        self._blocks = blocks
        self._archive = archive
        self._read = read
        self._until: dict[int, int] = {}
        """The last deleted record of tables that may have blocks up to it."""

    @property
    def is_archived(self) -> bool:
        """Whether deleted blocks are archived."""
        return self._archive is not None

    def begin_after(self, table: int, number: int, chain: bytes) -> None:
        """Let a table's hash chain begin after a record, within a transaction."""
        row = (table, number, chain)
        self._file.sql.execute("INSERT OR REPLACE INTO base VALUES (?,?,?)", row)
        if self._archive is None:
            self._blocks.delete(table, number)

    def go_on(self, table: int | None = None, until: int = 0) -> None:
        """Archive and delete some blocks: those of a table up to a record, too, from now on.

        Raises nothing: a failure is logged, and tried again at the next call.
        """
        if table is not None and until:
            self._until[table] = until
        if not self._until:
            return
        table, until = next(iter(self._until.items()))
        try:
            if not self._delete_some(table, until):
                del self._until[table]
        except DamagedRecord:
            logger.error("journal_not_archived", table=table, error="a deleted block is damaged")  # noqa: TRY400  not a bug: no traceback
            del self._until[table]
        except (OSError, sqlite3.Error, JournalFailed) as error:
            logger.warning("journal_not_archived", table=table, error=str(error))

    def finish(self, table: int) -> None:
        """Archive and delete all blocks of a table that are left. Raises JournalFailed."""
        until = self._until.pop(table, 0)
        try:
            while until and self._delete_some(table, until):
                pass
        except (OSError, DamagedRecord) as error:
            raise JournalFailed(f"table {table} cannot be archived: {error}") from error

    def _delete_some(self, table: int, until: int) -> bool:
        """Archive and delete the oldest blocks up to a record; return whether others may follow."""
        blocks = list(itertools.islice(self._blocks.between(table, 0, until), MOST_ARCHIVED))
        if blocks:
            first, last = blocks[0], blocks[-1]
            if self._archive is not None:
                name = f"table-{table}-{first.first}-{last.last}-{last.hash.hex()}"
                self._archive.store(name, map(self._read, blocks))
            with self._file.transaction():
                self._blocks.delete(table, last.last)
        return len(blocks) == MOST_ARCHIVED
