"""Copies of SQLite files in use: of one moment, and never behind what was committed before."""

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from casino.backup.sqlite_copy import copy_database, copy_journal, damage_of, is_sqlite
from casino.errors import BackupFailed
from support.processes import wait_for
from support.table.disk_log import disk_log

COPIES = 30
TABLE = """
import sys, time
from pathlib import Path
from random import randbytes
from casino_table.journal.disk_log import DiskLog
from casino_table.journal.group_commit import GroupCommit
from casino_table.journal.journal_file import JournalFile
from casino_table.journal.records import JournalRecord, SequencedEvent

log = DiskLog(GroupCommit(JournalFile(Path(sys.argv[1]), synchronous="off")), 1)
number = 0
while True:
    number += 1
    state = {"hand_number": number} if number % 10 == 0 else None
    record = JournalRecord("decided", {"number": number, "more": randbytes(1000).hex()}, state)
    log.append(1, record, [SequencedEvent(number, b"{}")])
    log.commit()
    if number % 20 == 0:
        print(number, flush=True)
    time.sleep(0.0005)  # still more than a table can play
"""
"""A table that writes; it says which number it has committed."""
LOBBY = """
import sqlite3, sys

database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("PRAGMA journal_mode = WAL")
database.execute("CREATE TABLE account (name TEXT PRIMARY KEY, chips INTEGER, note TEXT)")
for name in range(100):
    database.execute("INSERT INTO account VALUES (?, 100, '')", (name,))
number = 0
while True:
    number += 1
    database.execute("BEGIN IMMEDIATE")
    for name, chips in ((number % 100, 1), ((number * 7 + 1) % 100, -1)):
        database.execute(
            "UPDATE account SET chips = chips + ?, note = ? WHERE name = ?",
            (chips, str(number) * 400, name),
        )
    database.execute("COMMIT")
    if number % 20 == 0:
        print(number, flush=True)
"""
"""A lobby that moves chips between accounts without pause."""


class Writer:
    """A process that writes to a file."""

    def __init__(self, process: "subprocess.Popen[str]", output: Path) -> None:
        self._process = process
        self._output = output

    def committed(self) -> int:
        """Return the last number that it says is committed; fails if it has ended."""
        assert self._process.poll() is None
        lines = self._output.read_text().rpartition("\n")[0].split()
        return int(lines[-1]) if lines else 0


@contextmanager
def writing(program: str, path: Path) -> Iterator[Writer]:
    """Run a writer, and kill it at the end."""
    output = path.with_name("output")
    with output.open("w") as stdout:
        process = subprocess.Popen([sys.executable, "-c", program, path], stdout=stdout, text=True)
    writer = Writer(process, output)
    try:
        wait_for(lambda: writer.committed() > 0)
        yield writer
    finally:
        process.kill()
        process.wait()


@pytest.mark.full
def test_a_journal_in_use_is_copied_whole(tmp_path: Path) -> None:
    """With everything that was committed before, through many checkpoints; its chain is valid."""
    source, target = tmp_path / "tables-1-of-1.journal", tmp_path / "copy"
    with writing(TABLE, source) as table:
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            _count(source)  # what SQLite itself would copy
        first = table.committed()
        while (before := table.committed()) < first + 2_000:  # several checkpoints
            assert copy_journal(source, target) is None
            log = disk_log(target)  # verifies every record
            assert log.last_sequence(1) >= before
            log.close()


def _count(path: Path) -> None:
    with closing(sqlite3.connect(path, timeout=0)) as database:
        database.execute("SELECT count(*) FROM block").fetchone()


@pytest.mark.full
def test_a_database_in_use_is_copied_as_of_one_moment(tmp_path: Path) -> None:
    """Chips that move while it is copied are in one account, not in both or none."""
    source = tmp_path / "casino.db"
    with writing(LOBBY, source) as lobby:
        first = lobby.committed()
        for number in range(COPIES):
            target = tmp_path / f"copy-{number}"
            assert copy_database(source, target) is None
            with closing(sqlite3.connect(target)) as copy:
                assert copy.execute("SELECT sum(chips) FROM account").fetchone() == (10_000,)
        assert lobby.committed() > first


@pytest.mark.full
def test_a_journal_of_a_killed_table_is_copied_with_its_log(tmp_path: Path) -> None:
    """Its newest records are only there."""
    source, target = tmp_path / "tables-1-of-1.journal", tmp_path / "copy"
    with writing(TABLE, source) as table:
        before = table.committed()
    assert Path(f"{source}-wal").stat().st_size
    assert copy_journal(source, target) is None
    log = disk_log(target)
    assert log.last_sequence(1) >= before
    log.close()


def test_a_log_that_begins_again_during_the_copy_is_noticed(tmp_path: Path) -> None:
    """The copied file lacks what a checkpoint wrote, and the copied log no longer has it."""
    source, target = tmp_path / "tables-1-of-1.journal", tmp_path / "copy"
    copied: list[Path] = []
    with closing(sqlite3.connect(source, isolation_level=None)) as table:
        table.execute("PRAGMA journal_mode = WAL")
        table.execute("CREATE TABLE record (number INTEGER PRIMARY KEY, body TEXT)")
        for number in range(10):  # each on pages of its own, so that SQLite's check finds nothing
            table.execute("INSERT INTO record VALUES (?, ?)", (number, "x" * 9_000))

        def change(number: int) -> None:
            table.execute("UPDATE record SET body = ? WHERE number = ?", ("y" * 9_000, number))

        def copy_while_playing(original: Path, copy: Path) -> None:
            shutil.copyfile(original, copy)
            copied.append(original)
            if len(copied) == 1:
                table.execute("PRAGMA wal_checkpoint(RESTART)")
                change(7)

        table.execute("PRAGMA wal_checkpoint(RESTART)")
        change(2)
        assert copy_journal(source, target, copy_file=copy_while_playing) is None
        with closing(sqlite3.connect(target)) as copy:
            changed = copy.execute("SELECT number FROM record WHERE body LIKE 'y%'").fetchall()
        assert changed == [(2,), (7,)]
        assert len(copied) == 4


def test_a_damaged_file_is_copied_and_reported(tmp_path: Path) -> None:
    """One damaged journal does not prevent the backup of the casino."""
    source, target = tmp_path / "tables-1-of-1.journal", tmp_path / "copy"
    with closing(sqlite3.connect(source)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE record (body)")
        database.executemany("INSERT INTO record VALUES (?)", [("x" * 500,)] * 500)
        database.commit()
    content = bytearray(source.read_bytes())
    content[4096:8192] = b"\xff" * 4096
    source.write_bytes(content)
    assert copy_journal(source, target, sleep=lambda _: None)
    assert target.read_bytes() == content


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    """With the path in the message."""
    source = tmp_path / "casino.db"
    source.write_bytes(b"SQLite format 3\0" + bytes(5))
    assert is_sqlite(source)
    assert damage_of(source)
    with pytest.raises(BackupFailed, match=r"casino.db cannot be copied"):
        copy_database(source, tmp_path / "copy")
