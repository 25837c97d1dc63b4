"""Exceptions of the table.

```
TableError                root of all
├── JournalFailed         a record was not committed, not even in part
│   ├── JournalHeld       another process holds the journal
│   └── JournalDamaged    a stored record is not what was written
├── ChipsNotConserved     a hand changed the sum of all chips: a bug
└── LeaseOver             the table may ask nobody until its lobby answers
```
"""

from typing import ClassVar

from casino_contracts import Reason


class TableError(Exception):
    """Root of the exceptions of this package."""


class JournalFailed(TableError):
    """A record was not committed, not even in part; the message gives the cause."""

    reason: ClassVar[Reason] = Reason.JOURNAL_FAILED


class JournalHeld(JournalFailed):
    """Another process holds the journal."""

    reason = Reason.JOURNAL_HELD


class JournalDamaged(JournalFailed):
    """A stored record is not what was written; nothing may be played on it."""

    reason = Reason.JOURNAL_DAMAGED


class ChipsNotConserved(TableError):
    """A hand changed the sum of all chips: a bug, after which play must stop."""


class LeaseOver(TableError):
    """The table may ask nobody: its lobby has not answered for so long that the room may move."""
