"""Commit what the tables of a process append in one turn of the event loop, together."""

import asyncio
from collections.abc import Sequence
from typing import Protocol

from casino_table.errors import JournalFailed
from casino_table.journal.journal_file import AppendingLog, JournalFile


class WaitingLog(AppendingLog, Protocol):
    """A log that receives the result of its commits."""

    table: int

    def settle(self, failure: JournalFailed | None) -> None:
        """Take the result of a commit of all that is unwritten."""
        ...


class GroupCommit:
    """The commits of one file: a transaction for all tables, at the end of the turn at the latest.

    If it fails, each table is tried alone, so that none depends on the records of another one.
    """

    def __init__(self, file: JournalFile) -> None:
        self.file = file
        self._open: set[int] = set()
        self._waiting: dict[int, WaitingLog] = {}
        self._is_scheduled = False

    def open(self, log: WaitingLog) -> None:
        """Keep the file open for a log."""
        self._open.add(log.table)

    def close(self, log: WaitingLog) -> None:
        """Close the file with its last log."""
        self._open.discard(log.table)
        if not self._open:
            self.file.close()

    def commit_soon(self, log: WaitingLog) -> None:
        """Commit what a log has appended, and others in this turn of the event loop."""
        self._waiting[log.table] = log
        if not self._is_scheduled:
            self._is_scheduled = True
            asyncio.get_running_loop().call_soon(self._end_turn)

    def commit(self, log: WaitingLog) -> None:
        """Commit what a log has appended, and others in this turn, at once."""
        self._waiting[log.table] = log
        self._commit()

    def drop(self, log: WaitingLog) -> None:
        """Commit nothing of a log."""
        self._waiting.pop(log.table, None)

    def _end_turn(self) -> None:
        self._is_scheduled = False
        self._commit()

    def _commit(self) -> None:
        logs = [log for log in self._waiting.values() if log.unwritten]
        self._waiting.clear()
        try:
            if logs:
                self.file.write(logs)
        except JournalFailed as failure:
            self._commit_each(logs, failure)
        else:
            for log in logs:
                log.settle(None)

    def _commit_each(self, logs: Sequence[WaitingLog], failure: JournalFailed) -> None:
        """Commit what can be committed alone, after all together failed."""
        for log in logs:
            try:
                if len(logs) == 1:
                    raise failure
                self.file.write([log])
            except JournalFailed as its_failure:
                log.settle(its_failure)
            else:
                log.settle(None)
