"""The page in front of one casino of processes: watched, and operated."""

import re

import pytest
from browser.live_casino import ENDLESS, TOKEN, Casino
from casino_contracts import RoomSnapshot
from playwright.async_api import Browser, Page, expect
from support.accessibility import serious_faults
from support.chromium import page_at
from support.processes import eventually

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

MORE_THAN_20 = re.compile(r"^(2[1-9]|[3-9]\d|\d{3,})$")


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
