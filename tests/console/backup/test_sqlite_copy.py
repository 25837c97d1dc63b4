"""Copies of SQLite files in use: of one moment, and never behind what was committed before."""

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from casino.backup.backup_restore import copy_database, copy_journal, damage_of, is_sqlite
from casino.errors import BackupFailed
from support.processes import wait_for
from support.table.disk_log import disk_log

TABLE = """
import sys, time
from pathlib import Path
from random import randbytes
from casino_table.journal.disk_log import DiskLog
from casino_table.journal.disk_log import GroupCommit
from casino_table.journal.journal_file import JournalFile
from casino_table.journal.journal_log import JournalRecord, SequencedEvent

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


@pytest.mark.full
def test_a_journal_in_use_is_copied_whole(tmp_path: Path) -> None:
    """With everything that was committed before, through many checkpoints; its chain is valid."""
    source, target, output = (tmp_path / name for name in ("a.journal", "copy", "output"))

    def committed() -> int:
        """Return the last number that the table says is committed; fails if it has ended."""
        assert process.poll() is None
        lines = output.read_text().rpartition("\n")[0].split()
        return int(lines[-1]) if lines else 0

    with output.open("w") as stdout:
        process = subprocess.Popen([sys.executable, "-c", TABLE, source], stdout=stdout)
    try:
        wait_for(lambda: committed() > 0)
        with (
            closing(sqlite3.connect(source, timeout=0)) as database,
            pytest.raises(sqlite3.OperationalError, match="locked"),
        ):
            database.execute("SELECT count(*) FROM block")  # what SQLite itself would copy
        first = committed()
        while (before := committed()) < first + 2_000:  # several checkpoints
            assert copy_journal(source, target) is None
            log = disk_log(target)  # verifies every record
            assert log.last_sequence(1) >= before
            log.close()
    finally:
        process.kill()
        process.wait()


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
    source = tmp_path / "casino.db"
    source.write_bytes(b"SQLite format 3\0" + bytes(5))
    assert is_sqlite(source)
    assert damage_of(source)
    with pytest.raises(BackupFailed, match=r"casino.db cannot be copied"):
        copy_database(source, tmp_path / "copy")
