"""Verify the records of a journal file when it is opened, and find the end of each table's."""

import sqlite3

from casino_table.journal.blocks.store import BlockStore
from casino_table.journal.exclusive_file import ExclusiveFile
from casino_table.journal.recent_commits import RecentCommits
from casino_table.journal.table_tail import TableTail


def verified_tails(
    file: ExclusiveFile, blocks: BlockStore, recent: RecentCommits
) -> dict[int, TableTail]:
    """Return the end of each table's records, by the number of the table.

    Raises JournalDamaged at the first wrong record. SQLite's own check runs too: a page that lost
    its last rows would otherwise look like the end of a table.
    """
    tails = _Tails()
    try:
        for table, number, chain in file.sql.execute("SELECT * FROM base WHERE table_number > 0"):
            tails[table] = TableTail(table, number=number, base=number, hash=chain)
        _read_blocks(file, blocks, tails)
        _read_commits(file, recent, tails)
        for table, epoch, sequence in file.sql.execute("SELECT * FROM confirmed"):
            tails[table].confirmed = tails[table].stored_confirmed = (epoch, sequence)
        (verdict,) = file.sql.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as error:
        raise file.damaged(f"at {tails.newest}: {error}") from error
    if verdict != "ok":
        raise file.damaged(f"at one of its pages: {' '.join(verdict.split())}")
    return tails


class _Tails(dict[int, TableTail]):
    """The tails so far; those of new tables are empty."""

    newest = "its beginning"
    """What is read at present."""

    def __missing__(self, table: int) -> TableTail:
        return self.setdefault(table, TableTail(table))


def _read_blocks(file: ExclusiveFile, blocks: BlockStore, tails: _Tails) -> None:
    for block in blocks.every():
        tail = tails[block.table]
        if block.last <= tail.base:  # deleted, but not archived yet
            continue
        tails.newest = f"record {tail.number + 1} of table {tail.table}"
        if block.first != tail.number + 1 or block.hash != block.hash_after(tail.hash):
            raise file.damaged(f"at {tails.newest}: its hash does not match its content")
        tail.follow(block)


def _read_commits(file: ExclusiveFile, recent: RecentCommits, tails: _Tails) -> None:
    """Let the tails go on after the commits; records that are in a block already are skipped."""
    for commit, item in recent.read():
        tail = tails[item.table]
        tails.newest = f"record {tail.number + 1} of table {tail.table}"
        if item.number > tail.number + 1:
            raise file.damaged(f"at {tails.newest}: it is missing")
        if item.number == tail.number + 1:
            tail.extend([item], commit)
