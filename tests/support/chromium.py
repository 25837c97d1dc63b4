"""The system's Chromium, driven by Playwright; every page of it is watched for faults."""

import logging
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from playwright.async_api import Browser, Page, Request, ViewportSize, async_playwright, expect

from support.processes import PATIENCE_S
from support.requirements import unavailable

_LOG = logging.getLogger("browser")
FLAGS = [
    "--no-sandbox",
    "--no-proxy-server",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESKTOP: ViewportSize = {"width": 1440, "height": 900}
PHONE: ViewportSize = {"width": 360, "height": 740}
_PATIENCE_MS = 1000 * PATIENCE_S

_SETTLED = """async () => {
  const isRunning = (one) => one instanceof CSSAnimation && one.playState === "running";
  for (;;) {
    const running = document.getAnimations().filter(isRunning);
    if (running.length === 0) return;
    await Promise.allSettled(running.map((one) => one.finished));
  }
}"""
"""An animation that is cut short, as when its card is replaced, is followed by the next card's."""

expect.set_options(timeout=_PATIENCE_MS)


@asynccontextmanager
async def chromium(*flags: str) -> AsyncIterator[Browser]:
    """Run the browser with more flags; without one the test is skipped, in CI it fails."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        unavailable("chromium is not installed: apt-get install chromium")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=path, args=[*FLAGS, *flags], timeout=_PATIENCE_MS
        )
        try:
            yield browser
        finally:
            await browser.close()


class Watch:
    """What a page did that it must not do."""

    def __init__(self, page: Page, *origins: str) -> None:
        self.faults: list[str] = []
        self._hosts = {urlsplit(origin).netloc for origin in origins}
        self._is_lenient = False
        page.on("console", lambda message: self._console(message.type, message.text))
        page.on(
            "pageerror", lambda error: self.faults.append(f"error: {error.message} {error.stack}")
        )
        page.on("request", self._request)
        page.on("requestfailed", lambda one: _LOG.warning("%s %s", one.url, one.failure))

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
    browser: Browser, origin: str, size: ViewportSize = DESKTOP
) -> AsyncIterator[tuple[Page, Watch]]:
    """Open an empty tab of a browser that knows nothing; at the end it must have no fault."""
    context = await browser.new_context(viewport=size)
    try:
        page = await context.new_page()
        page.set_default_timeout(_PATIENCE_MS)
        watch = Watch(page, origin)
        try:
            yield page, watch
        except Exception as error:
            error.add_note(f"faults of the page: {watch.faults}")
            raise
        assert watch.faults == []
    finally:
        await context.close()


async def settled(page: Page) -> None:
    """Wait until every card lies where it belongs."""
    await page.evaluate(_SETTLED)


async def fits(page: Page) -> bool:
    """Return whether nothing is wider than the screen."""
    return bool(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
