"""The page asks for the operator's key where the lobby needs it, and keeps it in the tab."""

from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager

import pytest
from playwright.async_api import Browser, Page, Request, ViewportSize, expect
from pydantic import SecretStr
from support.accessibility import serious_faults
from support.casino.casino_side import CasinoHarness
from support.chromium import DESKTOP, PHONE, page_at
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


class Lobbies:
    """A lobby without a key, one with a key, and one that needs it for reading."""

    def __init__(self, stack: ExitStack) -> None:
        key = SecretStr(KEY)
        self.laptop = stack.enter_context(served(CasinoHarness(launch_tables=False)))
        self.keyed = stack.enter_context(
            served(CasinoHarness(4, launch_tables=False, operator_token=key))
        )
        self.closed = stack.enter_context(
            served(CasinoHarness(launch_tables=False, operator_token=key, readers="operator"))
        )
        self._tables = iter(range(1, 5))

    def table(self) -> str:
        return f"http://tables/tables/{next(self._tables)}/.well-known/agent-card.json"


@pytest.fixture(scope="module")
def lobbies() -> Iterator[Lobbies]:
    """Serve them."""
    with ExitStack() as stack:
        yield Lobbies(stack)


@asynccontextmanager
async def opened(
    browser: Browser, url: str, size: ViewportSize = DESKTOP
) -> AsyncIterator[tuple[Page, list[Request]]]:
    """Open the page; records all requests."""
    sent: list[Request] = []
    async with page_at(browser, url, size) as (page, watch):
        watch.expect_refusals()
        # Playwright marks its listeners, which a list's method does not let it.
        page.on("request", lambda request: sent.append(request))  # noqa: PLW0108
        await page.goto(url)
        yield page, sent


async def create(page: Page, room_id: str, table: str) -> None:
    """Fill in and send the form that opens a room."""
    await page.get_by_role("button", name="Open a room").first.click()
    dialog = page.get_by_role("dialog", name="Open a room")
    await dialog.get_by_label("Name").fill(room_id)
    await dialog.get_by_label("Table agent").fill(table)
    await dialog.get_by_role("button", name="Open the room").click()


async def give(page: Page, key: str) -> None:
    await page.locator("#token").fill(key)
    await page.get_by_role("button", name="Use it").click()


async def test_a_lobby_without_a_key_asks_for_none(browser: Browser, lobbies: Lobbies) -> None:
    """The page says nothing of keys."""
    async with opened(browser, lobbies.laptop) as (page, sent):
        await create(page, "green", "http://tables/tables/1/.well-known/agent-card.json")
        await expect(page.get_by_role("heading", level=1)).to_have_text("green")
        await expect(page.get_by_role("button", name="Operator")).to_have_text("Operator")
        await expect(page.locator("#locked")).to_be_hidden()
        await expect(page.locator("#token")).to_be_hidden()
        for request in sent:
            assert "authorization" not in await request.all_headers()


async def test_the_key_is_asked_for_once_and_kept_in_the_tab(
    browser: Browser, lobbies: Lobbies
) -> None:
    """A wrong one is dropped; it is in no address, no permanent storage and no other tab."""
    async with opened(browser, lobbies.keyed) as (page, sent):
        await expect(page.locator("#locked")).to_be_visible()
        await expect(page.get_by_role("button", name="Operator")).to_have_text("Operator key")
        await page.get_by_role("button", name="Operator").click()
        await give(page, WRONG)
        await expect(page.get_by_text("does not accept this key")).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("button", name="Operator")).to_have_text("Operator key")
        await create(page, "first", lobbies.table())
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
        await create(page, "second", lobbies.table())
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
        await other.goto(lobbies.keyed)
        await expect(other.get_by_role("button", name="Operator")).to_have_text("Operator key")
        assert await other.evaluate("sessionStorage.length") == 0
        await other.close()
        await page.get_by_role("button", name="Operator").click()
        await page.get_by_role("button", name="Forget it").click()
        await expect(page.get_by_role("button", name="Operator")).to_have_text("Operator key")
        assert await page.evaluate("sessionStorage.length") == 0


async def test_a_command_without_the_key_shows_the_problem(
    browser: Browser, lobbies: Lobbies
) -> None:
    """The next command asks again."""
    async with opened(browser, lobbies.keyed, PHONE) as (page, _):
        await create(page, "never", lobbies.table())
        for _ in range(2):
            await page.get_by_role("button", name="Cancel").last.click()
            fault = page.get_by_role("dialog", name="Open a room").locator(".fault")
            await expect(fault.last).to_contain_text("Enter the operator key first")
            await page.get_by_role("button", name="Open the room").click()
        await expect(page.locator("#token")).to_be_visible()


async def test_a_private_lobby_asks_before_it_shows_anything(
    browser: Browser, lobbies: Lobbies
) -> None:
    """After a refusal it does not ask again and again; a key that is not valid is dropped."""
    async with opened(browser, lobbies.closed) as (page, sent):
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
        await expect(page.get_by_role("heading", name="No room is open")).to_be_visible()
        assert all(KEY not in request.url for request in sent)
        assert KEY not in await page.evaluate(EVERYWHERE)
