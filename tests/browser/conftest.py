"""One browser for all tests of the page, and one server of its files."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from browser.live_casino import Casino, live_casino
from playwright.async_api import Browser, Page
from support.casino.page_harness import ORIGIN, PageHarness, PageServer
from support.chromium import chromium, page_at


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def server() -> AsyncIterator[PageServer]:
    """Serve the page of all names below `.test`."""
    server = PageServer()
    running = asyncio.create_task(server.run())
    yield server
    server.stop()
    await running


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser(server: PageServer) -> AsyncIterator[Browser]:
    """Run the browser; the attacker's names lead to this machine, as after rebinding."""
    rules = f"MAP *.test 127.0.0.1:{server.port}, MAP *.evil.example 127.0.0.1"
    async with chromium(f"--host-resolver-rules={rules}") as browser:
        yield browser


@pytest_asyncio.fixture(loop_scope="session")
async def harness(browser: Browser, server: PageServer) -> AsyncIterator[PageHarness]:
    """Open a tab in front of a lobby that has no answers yet."""
    async with page_at(browser, ORIGIN) as (page, watch):
        watch.expect_refusals()
        server.harness = PageHarness(page, watch)
        yield server.harness


@pytest.fixture
def page(harness: PageHarness) -> Page:
    """Return its tab."""
    return harness.page


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def casino() -> AsyncIterator[Casino]:
    """Run one casino of processes for all tests that play."""
    async with live_casino() as casino:
        yield casino
