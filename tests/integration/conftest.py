"""A casino of processes without a key, whose tables the tests of this folder use."""

from collections.abc import AsyncIterator

import pytest_asyncio
from support.casino.casino import ProcessCasino, process_casino
from support.casino.members import AT_ONCE


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def casino() -> AsyncIterator[ProcessCasino]:
    async with process_casino() as casino:
        await casino.host_tables(16, grace=AT_ONCE)
        yield casino
