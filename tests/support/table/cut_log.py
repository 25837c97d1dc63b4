"""Journals of a table whose process is killed at a commit, or whose disk takes nothing."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from casino_table.errors import JournalFailed
from casino_table.journal.disk_log import DiskLog
from casino_table.journal.journal import JournalRecord, SequencedEvent
from casino_table.service import TableService

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


class CutLog(DiskLog):
    """A journal whose process is killed at commit number `at`: just before it, or just after."""

    def __init__(self, path: Path, at: int = -1, *, after: bool = True) -> None:
        super().__init__(path)
        self.writes = 0
        self.is_cut = asyncio.Event()
        self._at = at
        self._after = after

    def write(self, epoch: int, record: JournalRecord, entries: Sequence[SequencedEvent]) -> None:
        """Commit, or raise Cut; a killed process commits nothing more."""
        if self.is_cut.is_set():
            raise Cut
        self.writes += 1
        if self.writes == self._at and not self._after:
            self._cut()
        super().write(epoch, record, entries)
        if self.writes == self._at:
            self._cut()

    def cut_next(self) -> None:
        """Raise Cut at the next commit at the latest."""
        self._at = self._at if self._at > self.writes else self.writes + 1

    def close(self) -> None:
        """Close the file without writing to it, as the end of the process does."""
        self._sql.close()

    def _cut(self) -> None:
        self.is_cut.set()
        raise Cut


class FullLog(DiskLog):
    """A journal that refuses every commit while `is_full`."""

    is_full = False

    def write(self, epoch: int, record: JournalRecord, entries: Sequence[SequencedEvent]) -> None:
        """Commit, or raise JournalFailed."""
        if self.is_full:
            raise JournalFailed("disk is full")
        super().write(epoch, record, entries)


async def kill(host: TableService, log: CutLog) -> None:
    """Kill a table's process at its planned commit, or at its next one: nothing is written."""
    if not log.is_cut.is_set():
        log.cut_next()
    await asyncio.wait_for(log.is_cut.wait(), 20)
    await host.stop()
