"""Fixtures of the hand records' tests."""

from pathlib import Path

import pytest
from casino_table.journal.log import Log
from casino_table.journal.memory_log import MemoryLog
from support.table.disk_log import disk_log


@pytest.fixture(params=["memory", "disk"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Log:
    """Return an empty journal of either kind."""
    return MemoryLog() if request.param == "memory" else disk_log(tmp_path / "log")
