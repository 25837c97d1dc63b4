"""The page in front of one casino of processes: watched, operated, and played by a person."""

import asyncio
import os
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from casino_contracts import RoomSnapshot
from playwright.async_api import Browser, Locator, Page, ViewportSize, expect
from support.accessibility import serious_faults
from support.casino.live import ProcessCasino, live_casino
from support.chromium import DESKTOP, PHONE, fits, page_at, settled
from support.fault_proxy import FaultProxy
from support.processes import eventually

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

Json = dict[str, Any]

PICTURES = os.environ.get("CASINO_PICTURES")
TOKEN = "open sesame"
MORE_THAN_20 = re.compile(r"^(2[1-9]|[3-9]\d|\d{3,})$")
ENDLESS: Json = {"maxHands": 1_000_000, "rebuy": "auto", "paceMs": 50}
PERSON = "Ada"
PATIENT: Json = {**ENDLESS, "actionTimeoutMs": 60_000}
"""Rules of rooms in which a person plays."""


class Casino:
    """The processes, and proxies to the lobby and the gateway that a test can cut."""

    def __init__(
        self, live: ProcessCasino, lobby: FaultProxy, gateway: FaultProxy, players: list[str]
    ) -> None:
        self.live, self.lobby, self.gateway, self.players = live, lobby, gateway, players

    @asynccontextmanager
    async def room(self, room_id: str, seats: int = 6, **rules: Any) -> AsyncIterator[None]:
        """Open a room for bots on all but one of `seats`, or on six; it is closed in the end."""
        await self.live.open(room_id, maxSeats=seats, **rules)
        for player in self.players[: 6 if seats == 6 else seats - 1]:
            assert (await self.live.seat(player, room_id)).is_success
        yield
        await self.live.http.delete(f"/v1/rooms/{room_id}")

    async def decisions(self, room_id: str, least: int = 0) -> list[Json]:
        """Wait for as many decisions of the person; returns all of theirs."""
        made: list[Json] = []

        async def are_made() -> bool:
            events = [
                event.model_dump(mode="json", by_alias=True)
                for event in await self.live.events(room_id)
            ]
            ids = {
                event["payload"]["playerId"]
                for event in events
                if event["eventType"] == "player_registered"
                and event["payload"]["displayName"] == PERSON
            }
            made[:] = [
                event["payload"]
                for event in events
                if event["eventType"] == "action_taken" and event["payload"]["playerId"] in ids
            ]
            return len(made) >= least

        await eventually(are_made)
        return made


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def casino() -> AsyncIterator[Casino]:
    async with AsyncExitStack() as stack:
        front, gate = FaultProxy(0), FaultProxy(0)
        for proxy in (front, gate):
            await proxy.start()
            stack.push_async_callback(proxy.stop)
        running = live_casino(
            CASINO_LOBBY_OPERATOR_TOKEN=TOKEN,
            CASINO_LOBBY_GATEWAY_URL=gate.url,
            CASINO_LOBBY_DRAIN_TIMEOUT="1s",
            CASINO_TABLE_DRAIN_TIMEOUT="1s",
        )
        live = await stack.enter_async_context(running)
        data = stack.enter_context(TemporaryDirectory())
        gateway = await live.start(
            "gateway",
            "casino_gateway",
            CASINO_GATEWAY_PORT="0",
            CASINO_GATEWAY_LOBBY_URL=live.lobby.url,
            CASINO_GATEWAY_OPERATOR_TOKEN=TOKEN,
            CASINO_GATEWAY_CORS_ORIGINS=live.lobby.url,
            CASINO_GATEWAY_DATA=data,
            CASINO_GATEWAY_SEATS_PER_ADDRESS="0",
        )
        stack.push_async_callback(gateway.kill)  # it would wait for seats that are being asked
        for proxy, service in ((front, live.lobby), (gate, gateway)):
            proxy.target = urlsplit(service.url).port or 0
        bots = await asyncio.gather(live.samples("caller", 3), live.samples("tight", 3))
        yield Casino(live, front, gate, [card for cards in bots for card in cards])


async def test_a_room_is_opened_watched_and_replayed_on_the_page(
    browser: Browser, casino: Casino
) -> None:
    """Opened, seated and started with the page's forms; six players play eight hands."""
    async with page_at(browser, casino.live.lobby.url) as (page, _watch):
        await page.goto(casino.live.lobby.url)
        await page.get_by_role("button", name="Open a room").first.click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label("Name").fill("green")
        await dialog.get_by_label("Hands").fill("8")
        await dialog.get_by_label("Who is broke").select_option("auto")
        await dialog.get_by_role("button", name="Open the room").click()
        # The first command asks for the key, the others have it.
        await give_key(page)
        await expect(page.get_by_role("heading", level=1)).to_have_text("green")
        await page.get_by_text("Run this room").click()
        for number, player in enumerate(casino.players):
            await page.get_by_label("Agent card").fill(player)
            await page.get_by_role("button", name="Seat the player").click()
            await expect(page.locator(".form .done").first).to_contain_text(f"seat {number}")
        await expect(page.locator(".seat:not(.empty)")).to_have_count(6)
        await expect(page.locator("#connection")).to_have_text("Live")
        await page.get_by_role("radio", name="Instant").check()
        await expect(page.locator(".room .facts")).to_contain_text("8 hands")
        await expect(page.locator(".hands li")).to_have_count(8)
        await expect(page.locator(".room-head .pill")).to_have_text("idle")
        last = (await casino.live.events("green"))[-1].sequence
        await expect(page.locator(".room")).to_have_attribute("data-shown", str(last))
        summary = (await casino.live.room("green")).summary
        assert summary is not None
        for seated in summary.players:
            seat = page.locator(".table .seat").nth(seated.seat_number)
            await expect(seat.locator(".stack")).to_have_text(f"{seated.stack:,}")
        await expect(page.locator(".chart path.line")).to_have_count(6)
        await replay(page, casino)


async def replay(page: Page, casino: Casino) -> None:
    """Replay hand 3."""
    events = (await casino.live.http.get("/v1/rooms/green/hands/3")).json()["events"]
    await page.get_by_role("link", name="#3 ", exact=False).filter(has_text="#3").last.click()
    heard = page.locator(".step-told")
    await expect(heard).to_have_text(f"1 / {len(events)} · hand 3 begins")
    for step, event in enumerate(events[1:], start=2):
        await page.keyboard.press("ArrowRight")
        await expect(heard).to_have_text(f"{step} / {len(events)} · {event['message']}")
        assert page.url.endswith(f"/rooms/green/hands/3/{step - 1}")
    await expect(page.locator(".seat.winner")).not_to_have_count(0)
    await page.keyboard.press("Home")
    await expect(heard).to_contain_text("hand 3 begins")
    await page.keyboard.press(" ")
    await expect(heard).to_contain_text(re.compile(r"^([3-9]|\d\d) / "))  # it plays on
    await page.keyboard.press(" ")
    await page.get_by_role("link", name="Back to live").click()
    await expect(page.locator(".room")).to_have_attribute("data-mode", "live")


async def give_key(page: Page) -> None:
    """Enter the operator's key."""
    await page.locator("#token").fill(TOKEN)
    await page.get_by_role("button", name="Use it").click()


async def test_a_cut_connection_loses_no_event(browser: Browser, casino: Casino) -> None:
    """The page says so, reconnects and resumes after its last event."""
    live = casino.live
    async with (
        casino.room("cut", **ENDLESS),
        page_at(browser, casino.lobby.url) as (page, watch),
    ):
        watch.expect_refusals()
        watch.allow(casino.gateway.url)
        await page.add_init_script("localStorage.setItem('pace', 'live')")
        await page.goto(f"{casino.lobby.url}/#/rooms/cut")
        connection = page.locator("#connection")
        await expect(connection).to_have_text("Live")
        await expect(page.locator(".my-seat")).to_be_attached()  # all of the page is loaded
        for _ in range(2):
            # Not by wait_for_function: the page's policy refuses the text that it evaluates.
            await expect(page.locator(".room")).to_have_attribute("data-sequence", MORE_THAN_20)
            async with page.expect_request(lambda request: "/stream" in request.url) as again:
                await casino.lobby.cut()
                await expect(connection).to_have_text("Connection lost, trying again…")
                casino.lobby.mend()
            headers = await (await again.value).all_headers()
            assert "last-event-id" in headers, "it resumes, and does not begin anew"
            await expect(connection).to_have_text("Live")
        await live.close("cut")
        events = await live.events("cut")
        hands = [event for event in events if event.event_type == "hand_completed"]
        await expect(page.locator(".room-head .pill")).to_have_text("closed")
        last = str(events[-1].sequence)
        await expect(page.locator(".room")).to_have_attribute("data-shown", last)
        await expect(page.locator(".room .facts")).to_contain_text(f"{len(hands)} hands")


async def test_an_operator_sees_all_cards_one_hand_late(browser: Browser, casino: Casino) -> None:
    """With the token: hole cards and odds of every hand, replayed and live."""
    live = casino.live

    async def has_hands() -> bool:
        room: RoomSnapshot = await live.room("open")
        return room.summary is not None and room.summary.hand_count >= 3

    async with (
        casino.room("open", **ENDLESS),
        page_at(browser, live.lobby.url) as (page, _watch),
    ):
        await eventually(has_hands)
        await page.goto(f"{live.lobby.url}/#/rooms/open/hands/2/1")
        await expect(page.locator(".seat .card.back").first).to_be_visible()
        await page.get_by_role("button", name="Operator").click()
        await give_key(page)
        await expect(page.locator(".table .hole .card:not(.back)")).to_have_count(12)
        await page.keyboard.press("Home")  # nobody has folded: the odds are those of the deal
        await expect(page.locator(".odds:visible").first).to_contain_text("%")
        assert await serious_faults(page) == []
        await page.get_by_role("link", name="Back to live").click()
        await page.get_by_role("radio", name="All cards").check()
        await expect(page.locator(".table .hole .card:not(.back)").first).to_be_visible()
        await expect(page.locator("#connection")).to_have_text("Live")


@asynccontextmanager
async def at_table(
    browser: Browser, casino: Casino, room_id: str, size: ViewportSize = DESKTOP
) -> AsyncIterator[tuple[Page, Locator]]:
    """Open a room's page and take the free seat by mouse; yields the page and the bar."""
    async with (
        casino.room(room_id, 4, **PATIENT),
        page_at(browser, casino.live.lobby.url, size) as (page, watch),
    ):
        watch.allow(casino.gateway.url)
        watch.expect_refusals()  # of connections, while the network is cut
        await page.goto(f"{casino.live.lobby.url}/#/rooms/{room_id}")
        await page.get_by_role("button", name="Sit here").click()
        dialog = page.get_by_role("dialog", name="Sit down")
        await dialog.get_by_label("Your name").fill(PERSON)
        await dialog.get_by_role("button", name="Sit down").click()
        await until_asked(page)
        try:
            yield page, page.get_by_role("region", name="Your seat")
        finally:
            leave = page.locator(".my-seat .aside button", has_text="Leave")
            await leave.dispatch_event("click")  # so that no hand waits for the person


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
    """Calls, a typed raise with talk, a pre-action; sits out, comes back, and leaves."""
    async with at_table(browser, casino, "main") as (page, bar):
        own = page.locator(".table .seat", has_text=PERSON)
        await expect(bar.locator(".mine .card")).to_have_count(2)
        await expect(own.locator(".hole .card:not(.back)")).to_have_count(2)
        await expect(own.get_by_text("guest")).to_be_visible()
        await expect(own).to_have_attribute("data-side", "low")
        await expect(page).to_have_title("● Your turn · main · A2A Casino")
        await expect(page.get_by_role("group", name="Pace")).to_have_count(0)
        raising = bar.get_by_role("button", name="Raise to").or_(
            bar.get_by_role("button", name="Bet")
        )
        for _ in range(40):
            await until_asked(page)
            if await raising.count() and await page.locator(".board .card").count() >= 3:
                break
            await press(page, "c")
        if PICTURES:
            await settled(page)
            await page.screenshot(path=Path(PICTURES) / "sit-down.png")
        await bar.get_by_label("Table talk").fill("I read about this.")
        await page.get_by_role("heading", level=1).click()
        typed = await bar.get_by_role("slider").get_attribute("min")
        assert typed is not None
        await page.keyboard.type(typed)
        await page.keyboard.press("Enter")
        await expect(page.locator(".log .said").first).to_have_text("I read about this.")
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
        await bar.get_by_role("button", name="Sit out").click()
        await expect(own).to_contain_text("sits out")
        away = await casino.decisions("main", len(made) + 2)
        assert {one["outcome"] for one in away[len(made) + 1 :]} <= {"away", "sitting_out"}
        await bar.get_by_role("button", name="I am back").click()
        await press(page, "c")
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
    async with at_table(browser, casino, "lost", PHONE) as (page, bar):
        assert await fits(page)
        for way in ("reload", "cut", "offline"):
            await until_asked(page)
            before = len(await casino.decisions("lost"))
            cards = await bar.locator(".mine").inner_html()
            if way == "reload":
                await page.reload()
            else:
                await page.context.set_offline(way == "offline")
                await casino.gateway.cut()
                await expect(bar).to_contain_text("Connection lost")
                await page.keyboard.press("c")
                await expect(bar.get_by_role("alert")).to_contain_text("Not connected")
                casino.gateway.mend()
                await page.context.set_offline(False)
            await until_asked(page)
            await expect(bar).to_contain_text("Your turn")
            assert await bar.locator(".mine").inner_html() == cards
            assert len(await casino.decisions("lost")) == before, "nobody acted meanwhile"
            await press(page, "c")
            await until_asked(page)
            made = (await casino.decisions("lost", before + 1))[before:]
            assert [one["outcome"] for one in made] == ["ok"]
        assert len(await page.evaluate("Object.values({...sessionStorage})")) == 1
        assert "token" not in page.url
