"""Exceptions of hand histories.

```
HistoryError             root of all
├── NotExportable        a hand that cannot be written: another game, or events that are missing
└── UnreadableHistory    a file that is no hand history of Hold'em, with the place and the reason
```
"""


class HistoryError(Exception):
    """Root of the exceptions of this package."""


class NotExportable(HistoryError):
    """A hand cannot be written; the text says why."""


class UnreadableHistory(HistoryError):
    """A file or a hand of it cannot be read; the text says where and why."""
