"""Fixtures of the hand records' tests."""

from pathlib import Path

import pytest
from casino_table.journal.disk_log import DiskLog
from casino_table.journal.journal import Log
from casino_table.journal.memory_log import MemoryLog


@pytest.fixture(params=["memory", "disk"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Log:
    """Return an empty journal of either kind."""
    return MemoryLog() if request.param == "memory" else DiskLog(tmp_path / "log")
