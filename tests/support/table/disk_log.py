"""The log of the only table in a journal file."""

from pathlib import Path

from casino_table.journal.archive import Archive
from casino_table.journal.disk_log import MIN_FREE_BYTES, DiskLog
from casino_table.journal.exclusive_file import Synchronous
from casino_table.journal.group_commit import GroupCommit
from casino_table.journal.journal_file import JournalFile

TABLE = 1


def disk_log(
    path: Path,
    *,
    synchronous: Synchronous = "normal",
    keep_hands: int | None = None,
    min_free_bytes: int = MIN_FREE_BYTES,
    archive: Path | None = None,
) -> DiskLog:
    """Open the log of table 1 in a file."""
    place = None if archive is None else Archive(archive)
    file = JournalFile(path, synchronous=synchronous, archive=place)
    return log_in(file, keep_hands=keep_hands, min_free_bytes=min_free_bytes)


def log_in(
    file: JournalFile, *, keep_hands: int | None = None, min_free_bytes: int = MIN_FREE_BYTES
) -> DiskLog:
    """Return the log of table 1 in an open file."""
    group = GroupCommit(file)
    return DiskLog(group, TABLE, keep_hands=keep_hands, min_free_bytes=min_free_bytes)


def end_process(log: DiskLog) -> None:
    """Close a log's file without writing to it, as a killed process does."""
    log._file._file.close()
