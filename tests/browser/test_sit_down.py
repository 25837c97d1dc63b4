"""A person sits down on the page: a real lobby, table, gateway and bots, played in Chromium."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import pytest_asyncio
from casino_contracts import TableEvent
from playwright.async_api import Browser, Locator, Page, expect
from support.accessibility import serious_faults
from support.casino.live import ProcessCasino, live_casino
from support.chromium import DESKTOP, PATIENCE_MS, PHONE, page_at
from support.free_port import free_port
from support.gateway.live_gateway import LiveGateway
from support.proxies.tcp_proxy import TcpProxy

pytestmark = [
    pytest.mark.browser,
    pytest.mark.full,
    pytest.mark.timeout(240),
    pytest.mark.asyncio(loop_scope="module"),
]

Json = dict[str, Any]

PICTURES = os.environ.get("CASINO_PICTURES")
PICTURE_SIZE = (1240, 860)
RULES = {
    "startingStack": 200,
    "smallBlind": 1,
    "bigBlind": 2,
    "minBuyIn": 40,
    "maxBuyIn": 400,
    "maxHands": 1_000,
    "rebuy": "auto",
    "actionTimeoutMs": 30_000,
}
PERSON = "Ada"
BOTS = {"caller": "Grace", "tight": "Edsger", "random": "Radia"}


class Casino:
    """The processes, and a proxy to the gateway that the page goes through."""

    def __init__(self, live: ProcessCasino, proxy: TcpProxy, bots: list[str]) -> None:
        self.live, self.proxy, self.bots = live, proxy, bots

    async def room(
        self, room_id: str, game: str = "texas-holdem", bots: list[str] | None = None
    ) -> None:
        """Open a room in which one seat is left; it starts when that is taken."""
        bots = bots or self.bots
        rules = {**RULES, "maxSeats": len(bots) + 1}
        body = {"roomId": room_id, "gameType": game, "config": rules}
        opened = await self.live.http.post("/v1/rooms", json=body)
        assert opened.is_success, opened.text
        for bot in bots:
            assert (await self.live.seat(bot, room_id)).is_success

    async def decisions(self, room_id: str, least: int = 0) -> list[Json]:
        """Wait for as many decisions of the person; returns all of theirs."""
        while True:
            events = [_written(event) for event in await self.live.events(room_id)]
            ids = {
                event["payload"]["playerId"]
                for event in events
                if event["eventType"] == "player_registered"
                and event["payload"]["displayName"] == PERSON
            }
            made = [
                event["payload"]
                for event in events
                if event["eventType"] == "action_taken" and event["payload"]["playerId"] in ids
            ]
            if len(made) >= least:
                return made
            await asyncio.sleep(0.05)


def _written(event: TableEvent) -> Json:
    written: Json = event.model_dump(mode="json", by_alias=True)
    return written


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def casino() -> AsyncIterator[Casino]:
    """Run a casino with a gateway, and three bots."""
    async with AsyncExitStack() as stack:
        port = free_port()
        proxy = TcpProxy(port)
        await proxy.start()
        stack.push_async_callback(proxy.stop)
        data = Path(stack.enter_context(TemporaryDirectory()))
        live = await stack.enter_async_context(live_casino(CASINO_LOBBY_GATEWAY_URL=proxy.url))
        settings = {"CASINO_GATEWAY_CORS_ORIGINS": live.lobby.url}
        gateway = LiveGateway(live, data, port, settings)
        stack.push_async_callback(gateway.http.aclose)
        stack.push_async_callback(gateway.end)
        await gateway.start()
        starting = (live.sample(style, name=name) for style, name in BOTS.items())
        bots = [bot.url for bot in await asyncio.gather(*starting)]
        yield Casino(live, proxy, bots)


@asynccontextmanager
async def at_table(
    browser: Browser,
    casino: Casino,
    room_id: str,
    size: tuple[int, int] = DESKTOP,
    **context: str,
) -> AsyncIterator[tuple[Page, Locator]]:
    """Open a room's page and take the free seat by mouse; yields the page and the bar."""
    async with page_at(browser, casino.live.lobby.url, size, **context) as (page, watch):
        watch.allow(casino.proxy.url)
        watch.expect_refusals()  # of connections, while the network is cut
        page.set_default_timeout(30_000)
        expect.set_options(timeout=30_000)
        await page.goto(f"{casino.live.lobby.url}/#/rooms/{room_id}")
        await page.get_by_role("button", name="Sit here").click()
        dialog = page.get_by_role("dialog", name="Sit down")
        await dialog.get_by_label("Your name").fill(PERSON)
        await dialog.get_by_role("button", name="Sit down").click()
        await expect(page.locator(".my-seat[data-asked]")).to_be_visible()
        try:
            yield page, page.get_by_role("region", name="Your seat")
        finally:
            expect.set_options(timeout=PATIENCE_MS)
            leave = page.locator(".my-seat .aside button", has_text="Leave")
            await leave.dispatch_event("click")  # so that no hand waits for the person
            await casino.live.http.delete(f"/v1/rooms/{room_id}")


async def until_asked(page: Page) -> None:
    """Wait until the person is to decide."""
    await expect(page.locator(".my-seat[data-asked]")).to_be_visible()


async def press(page: Page, key: str) -> None:
    """Answer the question with a key; returns when the gateway has the action."""
    await until_asked(page)
    bar = page.locator(".my-seat")
    request = await bar.get_attribute("data-request")
    assert request is not None
    await page.keyboard.press(key)
    await expect(bar).not_to_have_attribute("data-request", request)


async def test_a_person_plays_hands_by_keys(browser: Browser, casino: Casino) -> None:
    """Against bots: own cards, calls, a typed raise with talk, a pre-action; then leaves."""
    await casino.room("main")
    async with at_table(browser, casino, "main", PICTURE_SIZE, color_scheme="dark") as (page, bar):
        own = page.locator(".table .seat", has_text=PERSON)
        await expect(bar.locator(".mine .card")).to_have_count(2)
        await expect(own.locator(".hole .card:not(.back)")).to_have_count(2)
        await expect(own.get_by_text("guest")).to_be_visible()
        await expect(own).to_have_attribute("data-side", "low")
        await expect(page).to_have_title("● Your turn · main · A2A Casino")
        await expect(page.get_by_role("group", name="Pace")).to_have_count(0)
        assert await serious_faults(page) == []
        raising = bar.get_by_role("button", name="Raise to").or_(
            bar.get_by_role("button", name="Bet")
        )
        for _ in range(40):
            await until_asked(page)
            if await raising.count() and await page.locator(".board .card").count() >= 3:
                break
            await press(page, "c")
        if PICTURES:
            await page.wait_for_timeout(600)  # until the new cards lie there
            await page.screenshot(path=Path(PICTURES) / "sit-down.png")
        await bar.get_by_label("Table talk").fill("I read about this.")
        await page.get_by_role("heading", level=1).click()
        typed = await bar.get_by_role("slider").get_attribute("min")
        assert typed is not None
        await page.keyboard.type(typed)
        await page.keyboard.press("Enter")
        await expect(page.locator(".log .said").first).to_have_text("I read about this.")
        for _ in range(3):
            await press(page, "c")
        made = await casino.decisions("main")
        raised = [one for one in made if one.get("message") == "I read about this."]
        assert [(one["action"], one["amount"]) for one in raised] in (
            [("raise", float(typed))],
            [("bet", float(typed))],
        )
        check_or_fold = bar.get_by_label("Check or fold")
        await until_asked(page)
        before = len(await casino.decisions("main"))
        await press(page, "c")
        await check_or_fold.click()  # before the next question, or as the answer to it
        await expect(check_or_fold).not_to_be_checked()
        made = await casino.decisions("main", before + 2)
        assert made[before + 1]["action"] in {"check", "fold"}
        assert {one["outcome"] for one in made} == {"ok"}
        await bar.get_by_role("button", name="Leave").click()
        await expect(bar).to_be_hidden()
        await expect(page.get_by_role("button", name="Sit here")).to_be_visible()
        await expect(page.get_by_role("group", name="Pace")).to_be_visible()
        assert await page.evaluate("sessionStorage.length") == 0
        left = [one for one in await casino.live.events("main") if "Ada leaves" in one.message]
        assert left


async def test_the_seat_survives_a_reload_and_a_lost_network(
    browser: Browser, casino: Casino
) -> None:
    """In the middle of a question: it is the same question, and is answered once."""
    await casino.room("lost")
    async with at_table(browser, casino, "lost", PHONE) as (page, bar):
        assert await serious_faults(page) == []
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        for way in ("reload", "cut", "offline"):
            await until_asked(page)
            before = len(await casino.decisions("lost"))
            cards = await bar.locator(".mine").inner_html()
            if way == "reload":
                await page.reload()
            elif way == "cut":
                await casino.proxy.cut()
                await expect(bar).to_contain_text("Connection lost")
                await page.keyboard.press("c")
                await expect(bar.get_by_role("alert")).to_contain_text("Not connected")
                casino.proxy.mend()
            else:
                await page.context.set_offline(True)
                await casino.proxy.cut()
                await expect(bar).to_contain_text("Connection lost")
                casino.proxy.mend()
                await page.context.set_offline(False)
            await until_asked(page)
            await expect(bar).to_contain_text("Your turn")
            assert await bar.locator(".mine").inner_html() == cards
            assert len(await casino.decisions("lost")) == before, "nobody acted meanwhile"
            await press(page, "c")
            await until_asked(page)
            made = (await casino.decisions("lost", before + 1))[before:]
            assert [one["outcome"] for one in made] == ["ok"]
        tokens = list(await page.evaluate("Object.values({...sessionStorage})"))
        assert len(tokens) == 1
        assert "token" not in page.url


async def test_whoever_sits_out_is_not_waited_for(browser: Browser, casino: Casino) -> None:
    """The hands go on at once; and the person plays again after coming back."""
    await casino.room("out")
    async with at_table(browser, casino, "out") as (page, bar):
        await bar.get_by_role("button", name="Sit out").click()
        seat = page.locator(".table .seat", has_text=PERSON)
        await expect(seat).to_contain_text("sits out")
        await expect(bar).to_contain_text("You sit out")
        made = await casino.decisions("out", 2)
        assert {one["outcome"] for one in made[1:]} <= {"away", "sitting_out"}
        await bar.get_by_role("button", name="I am back").click()
        await press(page, "c")


async def test_a_person_bets_at_roulette(browser: Browser, casino: Casino) -> None:
    """A game that the page has no code for: its bets are a list."""
    bot = await casino.live.sample("generic", name="Tony")
    await casino.room("wheel", "roulette", [bot.url])
    async with at_table(browser, casino, "wheel", PHONE) as (page, bar):
        await bar.get_by_label("place bet").select_option(label="straight-17")
        await bar.get_by_role("textbox", name="Amount").fill("5")
        await bar.get_by_role("button", name="Place bet 5").click()
        (made, *_) = await casino.decisions("wheel", 1)
        assert made["outcome"] == "ok"
        assert "PLACE_BET" in json.dumps(made)
        assert "straight-17" in json.dumps(made)
        await until_asked(page)
        await bar.get_by_role("button", name="Pass").click()
        (_, made, *_) = await casino.decisions("wheel", 2)
        assert made["outcome"] == "ok"


async def test_a_lobby_without_a_gateway_seats_nobody(browser: Browser) -> None:
    """Its free seats are for bots, and the player's part is not even loaded."""
    async with live_casino() as live:
        await live.open("alone")
        async with page_at(browser, live.lobby.url) as (page, _watch):
            loaded: list[str] = []
            page.on("request", lambda request: loaded.append(request.url))
            await page.goto(f"{live.lobby.url}/#/rooms/alone")
            await expect(page.locator("#connection")).to_have_text("Live")
            free = page.locator(".seat").get_by_role("button", name="Seat a bot")
            await expect(free.first).to_be_visible()
            await expect(page.get_by_role("button", name="Sit here")).to_have_count(0)
            assert not [address for address in loaded if "/play/room_seat" in address]
