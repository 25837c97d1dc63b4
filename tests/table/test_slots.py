"""Table processes that share a data directory take different journals."""

from pathlib import Path

import pytest
from casino_table.app import open_logs
from casino_table.errors import JournalFailed, JournalHeld
from casino_table.journal.memory_log import MemoryLog
from casino_table.settings import TableSettings


def test_without_a_directory_journals_are_in_memory() -> None:
    """Tables end with their process."""
    assert all(isinstance(log, MemoryLog) for log in open_logs(TableSettings(count=3)))


def test_every_table_has_its_own_journal(tmp_path: Path) -> None:
    """A second process is refused."""
    settings = TableSettings(count=2, data=tmp_path)
    logs = open_logs(settings)
    assert {path.name for path in tmp_path.glob("*.journal")} == {
        "table-1.journal",
        "table-2.journal",
    }
    with pytest.raises(JournalHeld):
        open_logs(settings)
    for log in logs:
        log.close()


def test_the_first_free_slot_is_taken(tmp_path: Path) -> None:
    """A container that replaces another takes over its journals."""
    settings = TableSettings(count=2, data=tmp_path / "{slot}")
    first, second = open_logs(settings), open_logs(settings)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1", "2"]
    for log in first:
        log.close()
    third = open_logs(settings)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1", "2"]
    for log in (*second, *third):
        log.close()


def test_a_damaged_journal_is_refused(tmp_path: Path) -> None:
    """Skipping it would lose its tables."""
    settings = TableSettings(data=tmp_path / "{slot}")
    (log,) = open_logs(settings)
    log.close()
    path = tmp_path / "1" / "table-1.journal"
    path.write_bytes(b"x" * path.stat().st_size)
    with pytest.raises(JournalFailed, match="damaged"):
        open_logs(settings)
