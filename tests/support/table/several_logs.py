"""The logs of several tables in one file."""

from pathlib import Path

from casino_contracts import StatusPayload
from casino_table.journal.disk_log import DiskLog
from casino_table.journal.group_commit import GroupCommit
from casino_table.journal.journal import Journal, TableFact
from casino_table.journal.journal_file import JournalFile
from casino_table.journal.records import JournalRecord, SequencedEvent

FACT = TableFact("table_status", "hm", StatusPayload(status="running", kind="started"), "t1/1")


class SeveralLogs:
    """The open logs of some tables, and a journal of each, by the number of the table."""

    def __init__(self, file: JournalFile, tables: int = 2) -> None:
        self.file = file
        group = GroupCommit(file)
        self.logs = {number: DiskLog(group, number) for number in range(1, tables + 1)}
        self.journals = {
            number: Journal(f"t{number}", 1, lambda: "now", log)
            for number, log in self.logs.items()
        }

    @classmethod
    def opened(cls, path: Path, tables: int = 2) -> "SeveralLogs":
        return cls(JournalFile(path), tables)

    def commit(self, records: int, *, hand: int = 5, facts: int = 2, text: str = "") -> None:
        """Commit records of all tables in turn; each `hand` records one has the full state."""
        for number in range(records):
            state = {"hand_number": number} if number % hand == 0 else None
            content = {"number": number, "text": text}
            for book in self.journals.values():
                book.commit(JournalRecord("note", content, state), [FACT] * facts)

    def events(self) -> dict[int, list[SequencedEvent]]:
        return {number: log.events(1, 0, 100_000) for number, log in self.logs.items()}

    def close(self) -> None:
        """Close the logs, and with the last of them the file."""
        for log in self.logs.values():
            log.close()
