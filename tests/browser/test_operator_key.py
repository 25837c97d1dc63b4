"""The page asks for the operator's key where the lobby needs it, and keeps it in the tab."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from playwright.async_api import Browser, Page, Request, expect
from pydantic import SecretStr
from support.accessibility import serious_faults
from support.casino.casino_side import CasinoHarness
from support.chromium import page_at
from support.served import served

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

KEY, WRONG = "the-operators-own-key", "somebody-elses-key"
EVERYWHERE = """async () => JSON.stringify({
    local: { ...localStorage },
    cookies: document.cookie,
    state: history.state,
    name: window.name,
    databases: await indexedDB.databases(),
    caches: await caches.keys(),
    address: location.href,
    markup: document.documentElement.outerHTML,
})"""


@asynccontextmanager
async def opened(
    browser: Browser, **settings: Any
) -> AsyncIterator[tuple[str, Page, list[Request]]]:
    """Open the page of a lobby with a key; records all requests."""
    sent: list[Request] = []
    network = CasinoHarness(2, launch_tables=False, operator_token=SecretStr(KEY), **settings)
    with served(network) as url:
        async with page_at(browser, url) as (page, watch):
            watch.expect_refusals()
            # Playwright marks its listeners, which a list's method does not let it.
            page.on("request", lambda request: sent.append(request))  # noqa: PLW0108
            await page.goto(url)
            yield url, page, sent


async def create(page: Page, room_id: str, table: int) -> None:
    """Fill in and send the form that opens a room."""
    await page.get_by_role("button", name="Open a room").first.click()
    dialog = page.get_by_role("dialog", name="Open a room")
    await dialog.get_by_label("Name").fill(room_id)
    card = f"http://tables/tables/{table}/.well-known/agent-card.json"
    await dialog.get_by_label("Table agent").fill(card)
    await dialog.get_by_role("button", name="Open the room").click()


async def give(page: Page, key: str) -> None:
    await page.locator("#token").fill(key)
    await page.get_by_role("button", name="Use it").click()


async def test_the_key_is_asked_for_once_and_kept_in_the_tab(browser: Browser) -> None:
    """A wrong one is dropped; it is in no address, no permanent storage and no other tab."""
    async with opened(browser) as (url, page, sent):
        await expect(page.locator("#locked")).to_be_visible()
        await expect(page.get_by_role("button", name="Operator")).to_have_text("Operator key")
        await page.get_by_role("button", name="Operator").click()
        await give(page, WRONG)
        await expect(page.get_by_text("does not accept this key")).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("button", name="Operator")).to_have_text("Operator key")
        await create(page, "first", 1)
        await expect(page.get_by_role("dialog", name="Operator")).to_be_visible()
        assert await serious_faults(page) == []
        await give(page, WRONG)
        await expect(page.get_by_text("does not accept this key")).to_be_visible()
        assert await page.evaluate("sessionStorage.length") == 0
        await give(page, KEY)
        await expect(page.get_by_role("heading", level=1)).to_have_text("first")
        await expect(page.get_by_role("button", name="Operator")).to_have_text("Operator ✓")
        await expect(page.locator("#locked")).to_be_hidden()
        await page.get_by_role("link", name="Rooms").click()
        await page.go_back()
        await expect(page.get_by_role("heading", level=1)).to_have_text("first")
        await page.get_by_role("link", name="Rooms").click()
        await create(page, "second", 2)
        await expect(page.get_by_role("heading", level=1)).to_have_text("second")
        await expect(page.locator("#token")).to_be_hidden()
        shown = [request for request in sent if "authorization" in await request.all_headers()]
        checks = [request for request in shown if request.url.endswith("/v1/config")]
        assert {request.method for request in shown if request not in checks} == {"POST"}
        assert len(checks) == 3, "a key is checked when it is typed; reading needs none here"
        assert KEY not in await page.evaluate(EVERYWHERE)
        assert KEY not in str(await page.context.cookies())
        assert all(KEY not in request.url + (request.post_data or "") for request in sent)
        assert await page.evaluate("Object.values({ ...sessionStorage })") == [KEY]
        other = await page.context.new_page()
        await other.goto(url)
        await expect(other.get_by_role("button", name="Operator")).to_have_text("Operator key")
        assert await other.evaluate("sessionStorage.length") == 0
        await other.close()
        await page.get_by_role("button", name="Operator").click()
        await page.get_by_role("button", name="Forget it").click()
        await expect(page.get_by_role("button", name="Operator")).to_have_text("Operator key")
        assert await page.evaluate("sessionStorage.length") == 0


async def test_a_private_lobby_asks_before_it_shows_anything(browser: Browser) -> None:
    """After a refusal it does not ask again and again; a key that is not valid is dropped."""
    async with opened(browser, readers="operator") as (_, page, sent):
        await expect(page.get_by_text("shows itself to its operator only")).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(page.locator("#connection")).to_contain_text("This lobby needs its operator")
        await expect(page.locator("#token")).to_be_hidden()
        await page.get_by_role("button", name="Operator").click()
        await give(page, WRONG)
        await expect(page.get_by_text("does not accept this key")).to_be_visible()
        assert await page.evaluate("sessionStorage.length") == 0
        await give(page, KEY)
        await expect(page.locator("#connection")).to_have_text("Live")
        await expect(page.get_by_role("heading", name="open the first room")).to_be_visible()
        assert all(KEY not in request.url for request in sent)
        assert KEY not in await page.evaluate(EVERYWHERE)
