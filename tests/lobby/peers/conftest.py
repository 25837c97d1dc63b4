"""A group of two lobbies in one process."""

from collections.abc import AsyncIterator

import pytest
from support.group.group_side import GroupHarness, group_harness


@pytest.fixture
async def group() -> AsyncIterator[GroupHarness]:
    async with group_harness() as group:
        yield group
