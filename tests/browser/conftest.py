"""Fixtures of the page's tests."""

from collections.abc import AsyncIterator

import pytest_asyncio
from playwright.async_api import Browser
from support.chromium import chromium


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    """Run a browser for the tests of a file."""
    async with chromium() as browser:
        yield browser
