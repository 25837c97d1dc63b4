"""Insert many rows of SQLite with few statements.

The driver waits for the interpreter's lock after every statement. A row of a statement with many
costs half as much as one of its own, if a failure ends the transaction: then SQLite needs no
journal from which to undo the statement alone.
"""

import sqlite3
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, Final

_MOST_ROWS: Final = 64
"""Rows of one statement; SQLite 3.32 allows 32,766 parameters."""
_TEXTS: Final = 64


def insert_many(
    driver: sqlite3.Connection, statement: str, rows: Sequence[tuple[Any, ...]]
) -> None:
    """Execute an `INSERT … VALUES (?, …)` for all rows; raises sqlite3.Error.

    A constraint that is violated ends the transaction: everything in it is undone.
    """
    done = 0
    while done < len(rows):
        # Powers of two: a connection prepares few different statements, and keeps them.
        count = min(_MOST_ROWS, 1 << ((len(rows) - done).bit_length() - 1))
        values = list(chain.from_iterable(rows[done : done + count]))
        driver.execute(_text(statement, count), values)
        done += count


@lru_cache(maxsize=_TEXTS)
def _text(statement: str, count: int) -> str:
    head, _, row = statement.partition(" VALUES ")
    rows = ", ".join([row] * count)
    return f"{head.replace('INSERT', 'INSERT OR ROLLBACK', 1)} VALUES {rows}"  # noqa: S608  ours
