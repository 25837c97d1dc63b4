"""One casino of processes that the tests of this folder share."""

from collections.abc import AsyncIterator

import pytest_asyncio
from support.casino.casino import ProcessCasino, process_casino

KEY = "an-operator-key-of-32-characters-or-more"


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def casino() -> AsyncIterator[ProcessCasino]:
    """Run a lobby with an operator's key, which launches its tables."""
    async with process_casino(CASINO_LOBBY_OPERATOR_TOKEN=KEY) as casino:
        yield casino


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def callers(casino: ProcessCasino) -> list[str]:
    """Start two sample players; returns their cards."""
    return await casino.samples("caller", 2)
