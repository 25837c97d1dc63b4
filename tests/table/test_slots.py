"""Table processes that share a data directory take different journals."""

from pathlib import Path

import pytest
from casino_table.app import open_logs
from casino_table.errors import JournalFailed, JournalHeld
from casino_table.journal.journal_log import MemoryLog
from casino_table.process_group import TableShare
from casino_table.settings import TableSettings
from casino_table.workers import ProcessTables


def test_without_a_directory_journals_are_in_memory() -> None:
    assert all(isinstance(log, MemoryLog) for log in open_logs(TableSettings(count=3))[0])


def test_the_tables_of_a_process_share_a_file(tmp_path: Path) -> None:
    settings = TableSettings(count=2, data=tmp_path)
    logs, _ = open_logs(settings)
    assert [path.name for path in tmp_path.glob("*.journal")] == ["tables-1-of-1.journal"]
    with pytest.raises(JournalHeld):
        open_logs(settings)
    for log in logs:
        log.close()


def test_the_first_free_slot_is_taken(tmp_path: Path) -> None:
    """A container that replaces another takes over its journals."""
    settings = TableSettings(count=2, data=tmp_path / "{slot}")
    (first, one), (second, two) = open_logs(settings), open_logs(settings)
    assert (one, two) == ("1", "2")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1", "2"]
    for log in first:
        log.close()
    third, again = open_logs(settings)
    assert again == "1"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1", "2"]
    for log in (*second, *third):
        log.close()


def test_every_process_of_a_group_has_the_slot_of_the_first(tmp_path: Path) -> None:
    """Not another one, if a process that is left over still holds its journal."""
    settings = TableSettings(count=3, data=tmp_path / "{slot}")
    first, slot = open_logs(settings, ProcessTables(TableShare(3, 2, 1)))
    second, same = open_logs(settings, ProcessTables(TableShare(3, 2, 2), slot))
    assert (slot, same) == ("1", "1")
    assert [path.name for path in tmp_path.iterdir()] == ["1"]
    with pytest.raises(JournalHeld):
        open_logs(settings, ProcessTables(TableShare(3, 2, 2), slot))
    for log in (*first, *second):
        log.close()


def test_a_damaged_journal_is_refused(tmp_path: Path) -> None:
    """Skipping it would lose its tables."""
    settings = TableSettings(data=tmp_path / "{slot}")
    (log,), _ = open_logs(settings)
    log.close()
    path = tmp_path / "1" / "tables-1-of-1.journal"
    path.write_bytes(b"x" * path.stat().st_size)
    with pytest.raises(JournalFailed, match="damaged"):
        open_logs(settings)
