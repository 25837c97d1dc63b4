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
from playwright.async_api import Browser, Page, expect
from support.accessibility import serious_faults
from support.casino.casino import ProcessCasino, process_casino
from support.chromium import page_at, settled
from support.fault_proxy import FaultProxy
from support.processes import eventually, reserved_port

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
    """The processes, and a proxy to the lobby that a test can cut."""

    def __init__(
        self, live: ProcessCasino, proxy: FaultProxy, gateway_url: str, players: list[str]
    ) -> None:
        self.live, self.proxy, self.gateway_url = live, proxy, gateway_url
        self.players = players

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
                (one.event_type, one.payload or {}) for one in await self.live.events(room_id)
            ]
            ids = {
                payload["playerId"]
                for kind, payload in events
                if kind == "player_registered" and payload["displayName"] == PERSON
            }
            made[:] = [
                payload
                for kind, payload in events
                if kind == "action_taken" and payload["playerId"] in ids
            ]
            return len(made) >= least

        await eventually(are_made)
        return made


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def casino() -> AsyncIterator[Casino]:
    async with AsyncExitStack() as stack:
        proxy, port = FaultProxy(0), reserved_port()
        await proxy.start()
        stack.push_async_callback(proxy.stop)
        running = process_casino(
            CASINO_LOBBY_OPERATOR_TOKEN=TOKEN,
            CASINO_LOBBY_GATEWAY_URL=f"http://127.0.0.1:{port}",
            CASINO_LOBBY_DRAIN_TIMEOUT="1s",
            CASINO_TABLE_DRAIN_TIMEOUT="1s",
        )
        live = await stack.enter_async_context(running)
        gateway = await live.start(
            "gateway",
            "casino_gateway",
            CASINO_GATEWAY_PORT=str(port),
            CASINO_GATEWAY_LOBBY_URL=live.lobby.url,
            CASINO_GATEWAY_OPERATOR_TOKEN=TOKEN,
            CASINO_GATEWAY_CORS_ORIGINS=live.lobby.url,
            CASINO_GATEWAY_DATA=stack.enter_context(TemporaryDirectory()),
        )
        stack.push_async_callback(gateway.kill)  # it would wait for seats that are being asked
        proxy.target = urlsplit(live.lobby.url).port or 0
        bots = await asyncio.gather(live.samples("caller", 3), live.samples("tight", 3))
        yield Casino(live, proxy, gateway.url, [card for cards in bots for card in cards])


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


SHOWN = """table => {
  window.shown = [];
  new MutationObserver(() => {
    const open = table.querySelectorAll(".hole .card:not(.back)").length;
    const winners = table.querySelectorAll(".seat.winner").length;
    if (open || winners) window.shown.push([table.dataset.phase, winners]);
  }).observe(table, { subtree: true, childList: true, attributes: true });
}"""
"""Notes what the table shows while cards lie open."""


async def test_a_showdown_is_turned_before_it_is_won(browser: Browser, casino: Casino) -> None:
    """Of the one hand that two callers play; they come when somebody looks."""
    live = casino.live
    async with page_at(browser, live.lobby.url) as (page, watch):
        watch.allow(casino.gateway_url)
        await page.add_init_script("localStorage.setItem('pace', 'live')")
        await live.open("shown", maxSeats=2, maxHands=1, paceMs=50, resultMs=1_000)
        await page.goto(f"{live.lobby.url}/#/rooms/shown")
        await expect(page.locator("#connection")).to_have_text("Live")
        await page.locator(".table").evaluate(SHOWN)
        for player in casino.players[:2]:
            assert (await live.seat(player, "shown")).is_success
        await expect(page.locator(".seat.winner")).not_to_have_count(0)
        await expect(page.locator(".log .result")).not_to_have_count(0)
        shown = await page.evaluate("window.shown")
        assert shown[0] == ["betting", 0]
        assert shown == sorted(shown), "nobody has won before all is turned"
        assert shown[-1][0] == "over"
        await live.http.delete("/v1/rooms/shown")


async def give_key(page: Page) -> None:
    """Enter the operator's key."""
    await page.locator("#token").fill(TOKEN)
    await page.get_by_role("button", name="Use it").click()


async def test_a_cut_connection_loses_no_event(browser: Browser, casino: Casino) -> None:
    """The page says so, reconnects and resumes after its last event."""
    live = casino.live
    async with (
        casino.room("cut", **ENDLESS),
        page_at(browser, casino.proxy.url) as (page, watch),
    ):
        watch.expect_refusals()
        watch.allow(casino.gateway_url)
        await page.add_init_script("localStorage.setItem('pace', 'live')")
        await page.goto(f"{casino.proxy.url}/#/rooms/cut")
        connection = page.locator("#connection")
        await expect(connection).to_have_text("Live")
        await expect(page.locator(".my-seat")).to_be_attached()  # all of the page is loaded
        for _ in range(2):
            # Not by wait_for_function: the page's policy refuses the text that it evaluates.
            await expect(page.locator(".room")).to_have_attribute("data-sequence", MORE_THAN_20)
            async with page.expect_request(lambda request: "/stream" in request.url) as again:
                await casino.proxy.cut()
                await expect(connection).to_have_text("Connection lost, trying again…")
                casino.proxy.mend()
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


async def sit_down(page: Page, lobby: str) -> None:
    """Take the free seat by mouse."""
    await page.goto(f"{lobby}/#/rooms/main")
    free = page.get_by_role("button", name="Sit here")
    await expect(free).to_have_count(1)  # once the page has heard of all bots
    await free.click()
    dialog = page.get_by_role("dialog", name="Sit down")
    await dialog.get_by_label("Your name").fill(PERSON)
    await dialog.get_by_role("button", name="Sit down").click()
    await until_asked(page)


async def reload(page: Page, casino: Casino) -> None:
    """Load the page again in the middle of a question: it is the same question."""
    cards = await page.locator(".my-seat .mine").inner_html()
    await page.reload()
    await until_asked(page)
    assert await page.locator(".my-seat .mine").inner_html() == cards
    assert await casino.decisions("main") == [], "nobody acted meanwhile"
    assert len(await page.evaluate("Object.values({...sessionStorage})")) == 1
    assert "token" not in page.url


async def come_to_a_raise(page: Page) -> None:
    """Call until one may raise or bet after the flop."""
    raising = page.locator(".my-seat").get_by_role("button", name=re.compile("Raise to|Bet"))
    for _ in range(40):
        await until_asked(page)
        if await raising.count() and await page.locator(".board .card").count() >= 3:
            break
        await press(page, "c")
    if PICTURES:
        await settled(page)
        await page.screenshot(path=Path(PICTURES) / "sit-down.png")


async def test_a_person_plays_hands_by_keys(browser: Browser, casino: Casino) -> None:
    """Calls, a typed raise with talk, a pre-action; reloads, sits out, comes back, and leaves."""
    lobby = casino.live.lobby.url
    async with casino.room("main", 4, **PATIENT), page_at(browser, lobby) as (page, watch):
        watch.allow(casino.gateway_url)
        watch.expect_refusals()
        await sit_down(page, lobby)
        await reload(page, casino)
        bar = page.get_by_role("region", name="Your seat")
        own = page.locator(".table .seat", has_text=PERSON)
        await expect(bar.locator(".mine .card")).to_have_count(2)
        await expect(own.locator(".hole .card:not(.back)")).to_have_count(2)
        await expect(own.get_by_text("guest")).to_be_visible()
        await expect(own).to_have_attribute("data-side", "low")
        await expect(page).to_have_title("● Your turn · main · A2A Casino")
        await expect(page.get_by_role("group", name="Pace")).to_have_count(0)
        await come_to_a_raise(page)
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
