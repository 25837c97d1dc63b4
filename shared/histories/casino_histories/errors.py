"""Exceptions of hand histories.

```
HistoryError             root of all
├── NotExportable        a hand that cannot be written: another game, or events that are missing
├── ParquetMissing       pyarrow is not installed
└── UnreadableHistory    a file that is no hand history of Hold'em, with the place and the reason
```
"""


class HistoryError(Exception):
    """Root of the exceptions of this package."""


class NotExportable(HistoryError):
    """A hand cannot be written; the text says why."""


class ParquetMissing(HistoryError):
    """pyarrow is not installed; the text says how to install it."""


class UnreadableHistory(HistoryError):
    """A file or a hand of it cannot be read; the text says where and why."""
