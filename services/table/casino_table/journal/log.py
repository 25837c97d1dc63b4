"""The storage of a journal, as the journal uses it."""

from collections.abc import Callable, Sequence
from typing import Protocol

from casino_table.errors import JournalFailed
from casino_table.journal.records import JournalRecord, SequencedEvent

OnCommit = Callable[[JournalFailed | None], None]
"""Takes the result of a commit of everything that was appended; None: it is committed."""


def ignore(failure: JournalFailed | None) -> None:
    """Take the result of a commit that nobody waits for."""


class Log(Protocol):
    """Storage of a journal."""

    is_durable: bool
    on_commit: OnCommit
    """Called at once after each commit that was not made by `append` itself."""

    @property
    def is_written(self) -> bool:
        """Whether everything that was appended is committed."""
        ...

    def append(self, epoch: int, record: JournalRecord, events: Sequence[SequencedEvent]) -> bool:
        """Add a record with its events to the next commit; return whether it is committed."""
        ...

    def take_back(self) -> None:
        """Remove the newest record from the next commit."""
        ...

    def commit_soon(self) -> None:
        """Commit what was appended before a callback that is called soon after this."""
        ...

    def commit(self) -> None:
        """Commit what was appended, all or nothing. Raises JournalFailed."""
        ...

    def tail(self) -> tuple[int, list[JournalRecord]]:
        """Return the epoch, and the records since the last one with the table's full state."""
        ...

    def hand(self, number: int) -> list[JournalRecord]:
        """Return the records of a completed hand, from the table's state before it.

        Empty for a hand that runs, was cancelled, is void, or was deleted.
        """
        ...

    def events(self, epoch: int, after: int, limit: int) -> list[SequencedEvent]:
        """Return at most `limit` stored events of an epoch after a sequence."""
        ...

    def last_sequence(self, epoch: int) -> int:
        """Return the sequence of an epoch's newest event; 0 if there is none."""
        ...

    def delivered(self, epoch: int, sequence: int) -> None:
        """Note the last sequence that the lobby confirmed; a hint that may be lost."""
        ...

    def delivered_until(self, epoch: int) -> int:
        """Return the last confirmed sequence of an epoch; 0 if there is none."""
        ...

    def has_disk_space(self) -> bool:
        """Return whether there is space for a whole hand."""
        ...

    def forget(self) -> None:
        """Delete all records, those that are not committed yet too."""
        ...

    def compact(self) -> None:
        """Delete old sessions, if this log keeps sessions."""
        ...

    def close(self) -> None:
        """Release the storage."""
        ...
