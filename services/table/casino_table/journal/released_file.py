"""Journals of earlier releases: a SQLite file per table, with a row per record."""

import hashlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import orjson
from casino_compression import RecordCompressor

from casino_table.journal.blocks.builder import MOST_PENDING, BlockBuilder
from casino_table.journal.codec import StoredRecord, encoded
from casino_table.journal.exclusive_file import ExclusiveFile
from casino_table.journal.records import JournalRecord, SequencedEvent
from casino_table.journal.table_tail import ORIGIN, Block, TableRecords, TableTail

_SCHEMA = """
CREATE TABLE IF NOT EXISTS record (
    number INTEGER PRIMARY KEY, body BLOB NOT NULL, hash BLOB NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS base (number INTEGER NOT NULL, hash BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS delivered (epoch INTEGER PRIMARY KEY, sequence INTEGER NOT NULL) STRICT;
"""


class ReleasedFile:
    """The journal of one table, which an earlier release wrote."""

    def __init__(self, path: Path, table: int, *, wait_s: float = 0) -> None:
        """Open the file, waiting at most so long for another process that holds it.

        Raises JournalHeld, JournalDamaged or JournalFailed.
        """
        self.path = path
        self._table = table
        self._file = ExclusiveFile(path, _SCHEMA, wait_s=wait_s)
        self._sql = self._file.sql

    def records(self) -> TableRecords | None:
        """Return all records of the table, None if there are none. Raises JournalDamaged.

        Iterating over its blocks raises JournalDamaged as well.
        """
        try:
            newest = self._sql.execute("SELECT body FROM record ORDER BY number DESC").fetchone()
            if newest is None:
                return None
            base, chain = self._sql.execute("SELECT * FROM base").fetchone() or (0, ORIGIN)
            epoch = _decoded(self._table, 0, *newest).epoch
            confirmed = self._sql.execute(
                "SELECT epoch, sequence FROM delivered WHERE epoch = ?", (epoch,)
            ).fetchone()
        except (sqlite3.Error, ValueError) as error:
            raise self._file.damaged(f"at its beginning or end: {error}") from error
        blocks = self._blocks(base, chain)
        return TableRecords(self._table, base, ORIGIN, confirmed or (0, 0), blocks)

    def _blocks(self, base: int, chain: bytes) -> Iterator[Block]:
        """Yield the records as blocks, whose own hash chain begins here."""
        builder = BlockBuilder(RecordCompressor())
        tail = TableTail(self._table, number=base, base=base)
        try:
            for number, body, stored in self._sql.execute("SELECT * FROM record ORDER BY number"):
                chain = hashlib.blake2b(chain + body, digest_size=16).digest()
                if stored != chain or number != tail.number + 1:
                    raise ValueError("its hash does not match its content")  # noqa: TRY301
                blocks, rest = builder.completed(tail, [_decoded(self._table, number, body)])
                if rest:
                    tail.extend(rest, 0)
                if tail.pending_bytes > MOST_PENDING:
                    blocks = [builder.pending(tail)]
                for block in blocks:
                    tail.follow(block)
                    yield block
        except (sqlite3.Error, ValueError) as error:
            where = f"at record {tail.number + 1} of table {self._table}: {error}"
            raise self._file.damaged(where) from error
        if tail.pending:
            yield builder.pending(tail)

    def close(self) -> None:
        """Close the file and release its lock."""
        self._file.close()

    def remove(self) -> None:
        """Close and delete the file. Raises JournalFailed."""
        self._file.remove()


def _decoded(table: int, number: int, body: bytes) -> StoredRecord:
    """Return a record: a line with its numbers, then content, state and events."""
    line, _, rest = body.partition(b"\n")
    kind, *numbers = line.decode().split()
    epoch, first, sequence, content, state = map(int, numbers)
    table_state, events = rest[content : content + state], rest[content + state :]
    record = JournalRecord(
        kind, orjson.loads(rest[:content]), orjson.loads(table_state) if state else None
    )
    lines = enumerate(events.split(b"\n"), first) if events else ()
    return encoded(
        table, number, epoch, sequence, record, [SequencedEvent(*numbered) for numbered in lines]
    )
