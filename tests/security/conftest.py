"""One casino of processes for all tests of this folder: attacked once, then looked at."""

from collections.abc import AsyncIterator

import pytest_asyncio
from support.attack.siege import Siege, siege


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def under_attack() -> AsyncIterator[Siege]:
    """Give a casino that plays, and was attacked while it did."""
    async with siege() as opened:
        yield opened
