"""The system's Chromium, driven by Playwright; every page of it is watched for faults."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Browser, Page, Request, async_playwright, expect

from support.requirements import unavailable

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESKTOP, PHONE = (1440, 900), (360, 740)
PATIENCE_MS = 20_000
"""How long a page may take: on a busy machine it loads its modules for seconds."""

expect.set_options(timeout=PATIENCE_MS)


@asynccontextmanager
async def chromium(*flags: str) -> AsyncIterator[Browser]:
    """Run the browser with more flags; without one the test is skipped, in CI it fails."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        unavailable("chromium is not installed: apt-get install chromium")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=[*FLAGS, *flags])
        try:
            yield browser
        finally:
            await browser.close()


class Watch:
    """What a page did that it must not do."""

    def __init__(self, page: Page, origin: str) -> None:
        self.faults: list[str] = []
        self._hosts = {urlsplit(origin).netloc}
        self._is_lenient = False
        page.on("console", lambda message: self._console(message.type, message.text))
        page.on("pageerror", lambda error: self.faults.append(f"error: {error.stack}"))
        page.on("request", self._request)

    def expect_refusals(self) -> None:
        """Let the browser note answers of 4xx and lost connections; it notes them by itself."""
        self._is_lenient = True

    def allow(self, origin: str) -> None:
        """Let the page connect to another origin, such as that of the gateway."""
        self._hosts.add(urlsplit(origin).netloc)

    def _console(self, kind: str, text: str) -> None:
        is_network = text.startswith(("Failed to load resource", "WebSocket connection to"))
        if kind in {"error", "warning"} and not (is_network and self._is_lenient):
            self.faults.append(f"{kind}: {text}")

    def _request(self, request: Request) -> None:
        if urlsplit(request.url).netloc not in self._hosts:
            self.faults.append(f"another host: {request.url}")


@asynccontextmanager
async def page_at(
    browser: Browser, origin: str, size: tuple[int, int] = DESKTOP, **context: Any
) -> AsyncIterator[tuple[Page, Watch]]:
    """Open an empty tab; when it is closed, no fault must have been seen."""
    width, height = size
    tab = await browser.new_context(viewport={"width": width, "height": height}, **context)
    try:
        page = await tab.new_page()
        page.set_default_timeout(PATIENCE_MS)
        watch = Watch(page, origin)
        yield page, watch
        assert watch.faults == []
    finally:
        await tab.close()
