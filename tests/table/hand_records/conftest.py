"""Fixtures of the hand records' tests."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from casino_table.journal.journal_log import Log, MemoryLog
from support.table.disk_log import disk_log
from support.table.table_harness import TableHarness
from table.hand_records.recorded_session import recorded_session


@pytest.fixture(params=["memory", "disk"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Log:
    return MemoryLog() if request.param == "memory" else disk_log(tmp_path / "log")


@pytest.fixture
async def played(log: Log) -> AsyncIterator[TableHarness]:
    """Return a table after a recorded session of twelve hands."""
    harness = await recorded_session(log)
    yield harness
    await harness.host.stop()
