"""The log of the only table in a journal file, also of one that is killed or has a full disk."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from casino_table.errors import JournalFailed
from casino_table.journal.blocks import JournalArchive
from casino_table.journal.disk_log import MIN_FREE_BYTES, DiskLog, GroupCommit
from casino_table.journal.exclusive_file import Synchronous
from casino_table.journal.journal_file import AppendingLog, JournalFile
from casino_table.service import TableService

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
    place = None if archive is None else JournalArchive(archive)
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


RULES: dict[str, Any] = {
    "maxHands": 4,
    "maxSeats": 4,
    "rebuy": "auto",
    "seed": "resume",
    "maxTimeouts": 1000,  # a probe of a sitting-out seat would come at another time after a restart
}
"""A session that plays the same events however often it is cut."""


class Cut(BaseException):
    """The process was killed."""


class _CutFile(JournalFile):
    """A file whose process is killed at commit number `at`: just before it, or just after."""

    def __init__(self, path: Path, at: int, *, after: bool) -> None:
        super().__init__(path)
        self.writes = 0
        self.is_cut = asyncio.Event()
        self.at = at
        self._after = after

    def write(self, logs: Sequence[AppendingLog]) -> None:
        """Commit, or raise Cut; a killed process commits nothing more."""
        if self.is_cut.is_set():
            raise Cut
        self.writes += 1
        if self.writes == self.at and not self._after:
            self._cut()
        super().write(logs)
        if self.writes == self.at:
            self._cut()

    def _cut(self) -> None:
        self.is_cut.set()
        raise Cut


class CutLog(DiskLog):
    """A table's log whose process is killed at commit number `at`: before it, or after."""

    def __init__(self, path: Path, at: int = -1, *, after: bool = True) -> None:
        self.file = _CutFile(path, at, after=after)
        super().__init__(GroupCommit(self.file), TABLE)

    def cut_next(self) -> None:
        """Kill the process at the next commit at the latest."""
        if self.file.at <= self.file.writes:
            self.file.at = self.file.writes + 1

    def close(self) -> None:
        """Close the file without writing to it, as the end of the process does."""
        end_process(self)


class _FullFile(JournalFile):
    is_full = False

    def write(self, logs: Sequence[AppendingLog]) -> None:
        if self.is_full:
            raise JournalFailed("disk is full")
        super().write(logs)


class FullLog(DiskLog):
    """A table's log that refuses every commit while its `file.is_full`."""

    def __init__(self, path: Path) -> None:
        self.file = _FullFile(path)
        super().__init__(GroupCommit(self.file), TABLE)


async def kill(host: TableService, log: CutLog) -> None:
    """Kill a table's process at its planned commit, or at its next one: nothing is written."""
    if not log.file.is_cut.is_set():
        log.cut_next()
    await log.file.is_cut.wait()
    await host.stop()
