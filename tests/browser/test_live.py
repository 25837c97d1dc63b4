"""The page in front of a real casino of processes."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect
from support.accessibility import serious_faults
from support.casino.live import ProcessCasino, live_casino
from support.chromium import DESKTOP, PHONE, Watch, page_at
from support.proxies.tcp_proxy import TcpProxy

pytestmark = [
    pytest.mark.browser,
    pytest.mark.full,
    pytest.mark.timeout(240),
    pytest.mark.asyncio(loop_scope="module"),
]

STYLES = ("tight", "equity", "caller", "maniac", "random", "caller")
TOKEN = "open sesame"
MORE_THAN_20 = re.compile(r"^(2[1-9]|[3-9]\d|\d{3,})$")


class Casino:
    """The processes, and a proxy to the lobby."""

    def __init__(self, live: ProcessCasino, proxy: TcpProxy, players: list[str]) -> None:
        self.live, self.proxy, self.players = live, proxy, players

    @property
    def url(self) -> str:
        """The lobby's own URL."""
        return self.live.lobby.url

    async def hands(self, room_id: str, count: int) -> None:
        """Wait until a number of hands is completed."""
        while True:
            room = await self.live.room(room_id)
            if room.summary is not None and room.summary.hand_count >= count:
                return
            await asyncio.sleep(0.05)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def casino() -> AsyncIterator[Casino]:
    """Run a casino with players that think for a moment."""
    async with AsyncExitStack() as stack:
        live = await stack.enter_async_context(live_casino(CASINO_LOBBY_OPERATOR_TOKEN=TOKEN))
        children = await asyncio.gather(*map(live.sample, STYLES))
        port = urlsplit(live.lobby.url).port
        assert port is not None
        proxy = TcpProxy(port)
        await proxy.start()
        stack.push_async_callback(proxy.stop)
        yield Casino(live, proxy, [child.url for child in children])


async def drive(page: Page, casino: Casino, room_id: str, hands: int) -> None:
    """Open a room, seat six players and start it, all with the page's forms."""
    await page.get_by_role("button", name="Open a room").first.click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Name").fill(room_id)
    await dialog.get_by_label("Hands").fill(str(hands))
    await dialog.get_by_label("Who is broke").select_option("auto")
    await dialog.get_by_role("button", name="Open the room").click()
    # The first command asks for the key, the others have it.
    await page.locator("#token").fill(TOKEN)
    await page.get_by_role("button", name="Use it").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text(room_id, timeout=20_000)
    await page.get_by_text("Run this room").click()
    for number, player in enumerate(casino.players):
        await page.get_by_label("Agent card").fill(player)
        await page.get_by_role("button", name="Seat the player").click()
        await expect(page.locator(".form .done").first).to_contain_text(f"seat {number}")


async def test_a_room_is_opened_watched_and_replayed_on_the_page(
    browser: Browser, casino: Casino
) -> None:
    """Six players play twenty hands."""
    async with page_at(browser, casino.url, DESKTOP, color_scheme="dark") as (page, watch):
        await page.goto(casino.url)
        await drive(page, casino, "green", 20)
        room = page.locator(".room")
        await expect(page.locator(".seat:not(.empty)")).to_have_count(6)
        await expect(page.locator("#connection")).to_have_text("Live")
        await page.get_by_role("radio", name="Instant").check()
        await expect(page.locator(".room .facts")).to_contain_text("20 hands", timeout=90_000)
        await expect(page.locator(".hands li")).to_have_count(20)
        await expect(page.locator(".room-head .pill")).to_have_text("idle")
        events = await casino.live.events("green")
        await expect(room).to_have_attribute("data-shown", str(events[-1].sequence))
        summary = (await casino.live.room("green")).summary
        assert summary is not None
        for player in summary.players:
            seat = page.locator(".table .seat").nth(player.seat_number)
            await expect(seat.locator(".stack")).to_have_text(f"{player.stack:,}")
        await expect(page.locator(".chart path.line")).to_have_count(6)
        await replay(page, casino, watch)


async def replay(page: Page, casino: Casino, watch: Watch) -> None:
    """Replay hand 3."""
    reply = await casino.live.http.get("/v1/rooms/green/hands/3")
    events = reply.json()["events"]
    await page.get_by_role("link", name="#3 ", exact=False).filter(has_text="#3").last.click()
    reported = page.locator(".step-told")
    await expect(reported).to_have_text(f"1 / {len(events)} · hand 3 begins")
    for step, event in enumerate(events[1:], start=2):
        await page.keyboard.press("ArrowRight")
        await expect(reported).to_have_text(f"{step} / {len(events)} · {event['message']}")
        assert page.url.endswith(f"/rooms/green/hands/3/{step - 1}")
    await expect(page.locator(".seat.winner")).not_to_have_count(0)
    await page.keyboard.press("Home")
    await expect(reported).to_contain_text("hand 3 begins")
    await page.keyboard.press("End")
    await page.keyboard.press("ArrowLeft")
    await expect(reported).to_contain_text(events[-2]["message"])
    await page.keyboard.press("Home")
    await page.keyboard.press(" ")
    await expect(reported).to_contain_text(f"3 / {len(events)}", timeout=5_000)
    await page.keyboard.press(" ")
    await page.reload()
    await expect(reported).to_contain_text(" / ")
    await page.get_by_role("link", name="Back to live").click()
    await expect(page.locator(".room")).to_have_attribute("data-mode", "live")
    assert watch.faults == []


async def test_a_cut_connection_loses_no_event(browser: Browser, casino: Casino) -> None:
    """The page says so, reconnects and resumes after its last event."""
    live = casino.live
    await live.open("cut", maxHands=1_000, rebuy="auto", maxSeats=6)
    for player in casino.players:
        await live.seat(player, "cut")
    async with page_at(browser, casino.proxy.url, DESKTOP) as (page, watch):
        watch.expect_refusals()
        await page.add_init_script("localStorage.setItem('pace', 'live')")
        await page.goto(f"{casino.proxy.url}/#/rooms/cut")
        connection = page.locator("#connection")
        await expect(connection).to_have_text("Live")
        # Everything the page hears from now on is kept, to be compared with the record.
        snapshots = 0
        for _ in range(3):
            # Not by wait_for_function: the page's policy refuses the text that it evaluates.
            await expect(page.locator(".room")).to_have_attribute("data-sequence", MORE_THAN_20)
            async with page.expect_request(lambda request: "/stream" in request.url) as again:
                await casino.proxy.cut()
                await expect(connection).to_have_text("Connection lost, trying again…")
                casino.proxy.mend()
            request = await again.value
            snapshots += "last-event-id" not in await request.all_headers()
            await expect(connection).to_have_text("Live", timeout=20_000)
        assert snapshots == 0, "it resumes, and does not begin anew"
        await live.http.delete("/v1/rooms/cut")
        await live.until("closed", room_id="cut")
        events = await live.events("cut")
        hands = [event for event in events if event.event_type == "hand_completed"]
        await expect(page.locator(".room-head .pill")).to_have_text("closed", timeout=20_000)
        await expect(page.locator(".room")).to_have_attribute(
            "data-shown", str(events[-1].sequence)
        )
        await expect(page.locator(".room .facts")).to_contain_text(f"{len(hands)} hands")


@pytest.mark.parametrize(
    ("scheme", "size"), [("dark", DESKTOP), ("light", PHONE)], ids=["dark desktop", "light phone"]
)
async def test_every_view_is_accessible_and_fits(
    browser: Browser, casino: Casino, scheme: str, size: tuple[int, int]
) -> None:
    """No serious fault by axe, nothing wider than the screen."""
    live, name = casino.live, f"{scheme}-{size[0]}"
    await live.open(name, maxHands=8, rebuy="auto", maxSeats=6)
    for player in casino.players:
        await live.seat(player, name)
    await casino.hands(name, 4)
    async with page_at(browser, casino.url, size, color_scheme=scheme) as (page, _watch):
        for view, path in [
            ("lobby", "/"),
            ("room", f"/#/rooms/{name}"),
            ("replay", f"/#/rooms/{name}/hands/3/99"),
        ]:
            await page.goto(casino.url + path)
            await page.reload()
            seats = ".mini-table .seat .stack" if view == "lobby" else ".table .seat .stack"
            await expect(page.locator(seats).first).not_to_be_empty()
            assert await serious_faults(page) == [], view
            await fits(page)
        await page.get_by_text("Run this room").click()
        assert await serious_faults(page) == []
        await page.get_by_role("button", name="Operator").click()
        assert await serious_faults(page) == []
        await page.keyboard.press("Escape")
        await page.goto(casino.url)
        await page.get_by_role("button", name="Open a room").first.click()
        assert await serious_faults(page) == []
        await fits(page)


async def fits(page: Page) -> None:
    """Check that the page does not scroll sideways."""
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_an_operator_sees_all_cards_one_hand_late(browser: Browser, casino: Casino) -> None:
    """With the token: hole cards and odds of every hand, replayed and live."""
    live = casino.live
    await live.open("open", maxHands=2_000, rebuy="auto", maxSeats=6)
    for player in casino.players:
        await live.seat(player, "open")
    await casino.hands("open", 3)
    async with page_at(browser, casino.url, DESKTOP) as (page, _watch):
        await page.goto(f"{casino.url}/#/rooms/open/hands/2/1")
        await expect(page.locator(".seat .card.back").first).to_be_visible()
        await page.get_by_role("button", name="Operator").click()
        await page.locator("#token").fill(TOKEN)
        await page.get_by_role("button", name="Use it").click()
        await expect(page.locator(".table .hole .card:not(.back)")).to_have_count(12)
        await page.keyboard.press("Home")  # nobody has folded: the odds are those of the deal
        await expect(page.locator(".odds:visible").first).to_contain_text("%")
        assert await serious_faults(page) == []
        await page.get_by_role("link", name="Back to live").click()
        await page.get_by_role("radio", name="All cards").check()
        await expect(page.locator(".table .hole .card:not(.back)").first).to_be_visible()
        await expect(page.locator("#connection")).to_have_text("Live")
    await live.http.delete("/v1/rooms/open")
