"""Lists of the best hands, and the lobby's top table."""

from typing import Any

import pytest
from playwright.async_api import Browser, expect
from support.casino.page_harness import ORIGIN, PageHarness, frame, frames, page_harness, room
from support.players.recorded import completed, played

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


def asked(harness: PageHarness) -> list[str]:
    """Return the queries of lists of hands, in their order."""
    path = "/v1/rooms/main/hands?"
    return [target.removeprefix(path) for _, target, _ in harness.asked if path in target]


async def test_hands_are_listed_by_tabs_and_pages(browser: Browser) -> None:
    """The keyboard's focus stays in a line while the list grows."""
    events = await played(3, bold=0.05, rebuy="auto", hands=8)
    players = [one["payload"] for one in events if one["eventType"] == "player_registered"]
    hands: list[dict[str, Any]] = completed(events)
    newest, older = hands[:3], hands[3:]
    async with page_harness(browser) as (page, harness, watch):
        snapshot = frame("snapshot", {"cursor": 1, "room": room([], players)}, 1)
        harness.stream("/v1/rooms/main/stream", snapshot)
        page_of = "/v1/rooms/main/hands"
        harness.answers[page_of] = {"hands": newest}
        await page.goto(f"{ORIGIN}/#/rooms/main")
        await expect(page.locator(".hands li")).to_have_count(3)
        harness.answers[page_of] = {"hands": [{**newest[0], "kinds": ["fault"]}], "next": "9.1.4"}
        await page.get_by_label("Biggest", exact=True).check(force=True)
        await expect(page.locator(".hands .kinds")).to_have_text("fault")
        assert asked(harness)[-1] == "sort=pot&limit=50"
        link = page.locator(".hands a")
        await link.focus()
        harness.answers[page_of] = {"hands": older}
        await page.get_by_role("button", name="Show more hands").press("Enter")
        await expect(page.locator(".hands li")).to_have_count(1 + len(older))
        assert asked(harness)[-1] == "sort=pot&after=9.1.4&limit=50"
        await expect(page.get_by_role("button", name="Show more hands")).to_be_hidden()
        await link.first.focus()
        await page.get_by_label("Faults", exact=True).check(force=True)
        await expect(page.locator(".hands li")).to_have_count(len(older))
        assert asked(harness)[-1] == "sort=newest&kind=fault&limit=50"
        assert not watch.faults


async def test_the_table_with_the_largest_hand_is_the_first(browser: Browser) -> None:
    """It is marked, and a focused link stays focused when it moves."""
    events = await played(2, bold=0.05, rebuy="auto", hands=2)
    players = [one["payload"] for one in events if one["eventType"] == "player_registered"]
    summary = {"status": "running", "handCount": 1, "playerCount": 2, "gameType": "texas-holdem"}
    rooms = [{**summary, "roomId": name} for name in ("a", "b", "c")]
    async with page_harness(browser) as (page, harness, watch):
        for name in ("a", "b", "c"):
            snapshot = room([], players)
            snapshot["summary"]["status"] = "running"
            harness.answers[f"/v1/rooms/{name}"] = {**snapshot, "roomId": name}
        begin = frame("snapshot", {"cursor": 1, "rooms": rooms}, 1)
        harness.stream("/v1/stream", begin, begin + frames(events, "c"))
        await page.goto(f"{ORIGIN}/#/")
        links = page.locator(".mini h2 a")
        await expect(links).to_have_text(["a", "b", "c"])
        await links.nth(2).focus()
        await expect(links).to_have_text(["c", "a", "b"], timeout=15_000)
        await expect(links.first).to_be_focused()
        await expect(page.locator(".mini.top")).to_contain_text("Top table")
        await expect(page.locator(".mini .top-mark:visible")).to_have_count(1)
        assert not watch.faults
