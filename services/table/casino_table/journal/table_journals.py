"""The journals of a directory: open the file of a process, and bring its tables' records into it.

Records of its tables may be elsewhere in the directory: in files of another number of processes.
They are copied in one transaction, then deleted where they were. What was copied before a process
was killed is deleted by the next one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import structlog

from casino_table.errors import JournalFailed
from casino_table.journal.blocks import JournalArchive
from casino_table.journal.codec import TableRecords
from casino_table.journal.disk_log import DiskLog, GroupCommit
from casino_table.journal.exclusive_file import Synchronous
from casino_table.journal.journal_file import JournalFile

_SHARED = re.compile(r"tables-([1-9][0-9]{0,8})-of-([1-9][0-9]{0,8})\.journal")

logger = structlog.get_logger(__name__)


@dataclass(frozen=True)
class JournalOptions:
    """How a process keeps its journals."""

    synchronous: Synchronous = "normal"
    keep_hands: int | None = None
    archive: Path | None = None
    """The directory of what is deleted; None: it is not archived."""
    wait_s: float = 30.0
    """How long to wait for another process that moves records from the same file."""


def file_name(process: int, processes: int) -> str:
    """Return the name of the file of a table process: the first of `processes` is 1.

    >>> file_name(1, 2)
    'tables-1-of-2.journal'
    """
    return f"tables-{process}-of-{processes}.journal"


def open_journals(
    directory: Path, tables: Sequence[int], name: str, options: JournalOptions
) -> list[DiskLog]:
    """Open tables' logs in one file. Raises JournalHeld, JournalDamaged, JournalFailed."""
    archive = None if options.archive is None else JournalArchive(options.archive)
    file = JournalFile(directory / name, synchronous=options.synchronous, archive=archive)
    try:
        for path in sorted(directory.glob("*.journal")):
            if moved := _tables_in(path, file.path, tables):
                source = JournalFile(path, archive=archive, wait_s=options.wait_s)
                _move_shared(source, file, moved)
        group = GroupCommit(file)
        return [DiskLog(group, table, keep_hands=options.keep_hands) for table in tables]
    except JournalFailed:
        file.close()
        raise


def _tables_in(path: Path, own: Path, tables: Sequence[int]) -> list[int]:
    """Return the tables whose records may be in a file of another number of processes.

    A file of the same number of processes is in use by another one, which has other tables.
    """
    there, here = _SHARED.fullmatch(path.name), _SHARED.fullmatch(own.name)
    if there is None or here is None or there[2] == here[2]:
        return []
    process, processes = int(there[1]), int(there[2])
    return [table for table in tables if (table - 1) % processes == process - 1]


def _move_shared(source: JournalFile, file: JournalFile, tables: Sequence[int]) -> None:
    """Move the records of tables to a file, unless it has them; delete a source without any."""
    try:
        for table in tables:
            if table in source.ends:
                _adopt(source.records_of(table), source.path, file)
                source.release(table)
    except JournalFailed:
        source.close()
        raise
    if source.ends:
        source.close()
    else:
        source.remove()


def _adopt(records: TableRecords, source: Path, file: JournalFile) -> None:
    """Store the records of a table, unless a process that was killed has done it already."""
    table = records.table
    if file.end(table).number:
        logger.warning("journal_superseded", table=table, source=str(source))
        return
    file.adopt(records)
    count = file.end(table).number
    logger.info("journal_moved", table=table, source=str(source), records=count)
