"""Addresses of rooms and hands: paths, wherever the lobby is served, and in frames."""

import pytest
from playwright.async_api import Browser, Page, Route, expect
from support.casino.page_harness import ORIGIN, PageHarness, frame, page_harness, room
from support.players.recorded import completed, hand, played

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

BASE = "/casino"
BLOG = "http://blog.test"


async def serve(harness: PageHarness) -> None:
    """Serve a room with three hands."""
    events = await played(2, bold=0.2, rebuy="auto", hands=3)
    players = [event["payload"] for event in events if event["eventType"] == "player_registered"]
    snapshot = {"cursor": 1, "room": room(events, players)}
    first = frame("snapshot", snapshot, events[-1]["sequence"])
    harness.streams["/v1/rooms/main/stream"] = [first] * 9
    harness.answers["/v1/rooms/main/hands"] = {"hands": completed(events)}
    harness.stream("/v1/stream", *[frame("snapshot", {"cursor": 1, "rooms": []}, 1)] * 9)
    for number in (1, 2, 3):
        harness.answers[f"/v1/rooms/main/hands/{number}"] = {"events": hand(events, number)}


async def mode(page: Page, expected: str) -> None:
    """Wait until the room is live or in replay."""
    await expect(page.locator(".room")).to_have_attribute("data-mode", expected)


async def test_links_are_paths_below_wherever_the_lobby_is(browser: Browser) -> None:
    """The page is loaded once; back and forth work, and so do older links."""
    async with page_harness(browser, base=BASE) as (page, harness, _watch):
        await serve(harness)
        loads: list[str] = []
        page.on("load", lambda loaded: loads.append(loaded.url))
        await page.goto(f"{ORIGIN}{BASE}/#/rooms/main/hands/2/1")
        await mode(page, "replay")
        await expect(page).to_have_url(f"{ORIGIN}{BASE}/rooms/main/hands/2/1")
        await page.keyboard.press("ArrowRight")
        await expect(page).to_have_url(f"{ORIGIN}{BASE}/rooms/main/hands/2/2")
        await page.get_by_role("link", name="#3").click()
        await expect(page.locator(".step-told")).to_contain_text("hand 3 begins")
        await page.get_by_role("link", name="Back to live").click()
        await mode(page, "live")
        await expect(page).to_have_url(f"{ORIGIN}{BASE}/rooms/main")
        await page.go_back()
        await mode(page, "replay")
        await page.get_by_role("link", name="A2A Casino").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Rooms")
        await expect(page).to_have_url(f"{ORIGIN}{BASE}/")
        assert len(loads) == 1
        await page.goto(f"{ORIGIN}{BASE}/rooms/main/hands/1/1")
        await expect(page.locator(".step-told")).to_contain_text("2 / ")
        await page.reload()
        await expect(page.locator(".step-told")).to_contain_text("2 / ")


async def test_a_frame_shows_the_table_and_no_commands(browser: Browser) -> None:
    """Of a listed origin alone; its links lead out of it, or to another hand."""
    async with page_harness(browser, embedder=BLOG) as (page, harness, watch):
        watch.allow(BLOG)
        await serve(harness)

        async def blog(route: Route) -> None:
            """Serve a page with two frames."""
            frames = (f'<iframe src="{ORIGIN}/{path}" width="900" height="700"></iframe>'
                      for path in ("embed/rooms/main", "rooms/main"))  # fmt: skip
            await route.fulfill(body="".join(frames), content_type="text/html")

        await page.route(f"{BLOG}/**", blog)
        await page.goto(f"{BLOG}/")
        inside, refused = (page.frame_locator("iframe").nth(place) for place in (0, 1))
        await expect(inside.locator(".seat:not(.empty)")).to_have_count(2)
        await expect(refused.locator(".seat")).to_have_count(0)
        for hidden in (".top", ".crumb", ".operate", ".faults-box"):
            await expect(inside.locator(hidden).first).to_be_hidden()
        await inside.get_by_role("link", name="#2").click()
        await expect(inside.locator(".step-told")).to_contain_text("hand 2 begins")
        outside = inside.get_by_role("link", name="Open in the casino")
        await expect(outside).to_have_attribute("href", f"{ORIGIN}/rooms/main/hands/2")
        (fault,) = watch.faults
        assert "frame-ancestors 'none'" in fault  # of the other frame
        watch.faults.clear()
