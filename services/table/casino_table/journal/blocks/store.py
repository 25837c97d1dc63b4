"""The blocks of a journal file in SQLite: store and find runs of records."""

import sqlite3
from collections.abc import Iterable, Iterator

from casino_table.journal.table_tail import LAST_NUMBER, Block, place_of

BLOCKS = """
CREATE TABLE IF NOT EXISTS block (
    place INTEGER PRIMARY KEY, first INTEGER NOT NULL, kind TEXT, epoch INTEGER NOT NULL,
    sequence INTEGER NOT NULL, hand INTEGER NOT NULL, body BLOB NOT NULL, hash BLOB NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS session ON block (place) WHERE kind = 'session';
"""
_RANGE = "SELECT * FROM block WHERE place BETWEEN ? AND ? ORDER BY place"
_NEWEST = "SELECT * FROM block WHERE place BETWEEN ? AND ? ORDER BY place DESC LIMIT 1"
_SESSION = (
    "SELECT * FROM block WHERE kind = 'session' AND place BETWEEN ? AND ?"
    " ORDER BY place DESC LIMIT 1 OFFSET ?"
)


class BlockStore:
    """The blocks of all tables of a file. Every method may raise sqlite3.Error."""

    def __init__(self, sql: sqlite3.Connection) -> None:
        self._sql = sql

    def insert(self, blocks: Iterable[Block]) -> None:
        """Store blocks."""
        self._sql.executemany("INSERT INTO block VALUES (?,?,?,?,?,?,?,?)", blocks)

    def delete(self, table: int, until: int) -> None:
        """Delete the blocks of a table that end at a record or before it."""
        self._sql.execute(
            "DELETE FROM block WHERE place BETWEEN ? AND ?",
            (place_of(table, 0), place_of(table, until)),
        )

    def every(self) -> Iterator[Block]:
        """Yield all blocks, of one table after another, in the order of their records."""
        return map(Block._make, self._sql.execute("SELECT * FROM block ORDER BY place"))

    def between(self, table: int, first: int, last: int = LAST_NUMBER) -> Iterator[Block]:
        """Yield the blocks of a table that end at the records `first` to `last`, in order."""
        places = (place_of(table, first), place_of(table, last))
        return map(Block._make, self._sql.execute(_RANGE, places))

    def before(self, table: int, number: int) -> Block | None:
        """Return the last block of a table that ends before a record; None if there is none."""
        places = (place_of(table, 0), place_of(table, number - 1))
        return next(map(Block._make, self._sql.execute(_NEWEST, places)), None)

    def session(self, table: int, count: int) -> Block | None:
        """Return the block that begins the newest session but `count`; None if there is none."""
        places = (place_of(table, 0), place_of(table, LAST_NUMBER), count)
        return next(map(Block._make, self._sql.execute(_SESSION, places)), None)
