"""Fixtures of the table's tests."""

from collections.abc import AsyncIterator

import pytest
from support.table.table_harness import TableHarness


@pytest.fixture
async def harness() -> AsyncIterator[TableHarness]:
    """Return a table with a lobby; it is stopped at the end."""
    harness = TableHarness()
    yield harness
    await harness.host.stop()
