"""A person who plays at the page, in front of a casino of processes."""

import os
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from browser.live_casino import PATIENT, PERSON, Casino, press, sit_down, until_asked
from casino_contracts import TableEvent
from playwright.async_api import Browser, Page, expect
from support.chromium import page_at, settled
from support.processes import eventually

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PICTURES = os.environ.get("CASINO_PICTURES")
HANDS = 20
SEEN = """room => {
  window.seen = [];
  const table = room.querySelector(".table");
  new MutationObserver(() => {
    const winners = table.querySelectorAll(".seat.winner").length;
    window.seen.push([Number(room.dataset.shown), winners]);
  }).observe(room, { subtree: true, childList: true, attributes: true });
}"""
"""Notes which events the table shows, and how many winners."""


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
        await sit_down(page, lobby, "main")
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


async def test_a_person_has_a_part_in_the_deal(browser: Browser, casino: Casino) -> None:
    """The page gives entropy for each block that begins while it is there."""
    live = casino.live
    rules = {**PATIENT, "seed": None, "dealBlock": 1}
    async with casino.room("fair", 2, **rules), page_at(browser, live.lobby.url) as (page, watch):
        watch.allow(casino.gateway_url)
        await sit_down(page, live.lobby.url, "fair")

        async def has_a_part() -> bool:
            await press(page, "c")
            room = await live.room("fair")
            assert room.summary is not None
            assert room.fair is not None
            (own,) = [one.player_id for one in room.summary.players if one.display_name == PERSON]
            return own in room.fair.contributors

        await eventually(has_a_part)


async def test_a_person_sees_every_showdown(browser: Browser, casino: Casino) -> None:
    """Twenty: each stays for two seconds at the table, and on the page until the next deal."""
    live = casino.live
    rules = {**PATIENT, "paceMs": 0, "resultMs": None, "maxHands": HANDS}
    async with casino.room("seen", 2, **rules), page_at(browser, live.lobby.url) as (page, watch):
        watch.allow(casino.gateway_url)
        await sit_down(page, live.lobby.url, "seen")
        await page.locator(".room").evaluate(SEEN)
        while (events := await live.events("seen")) and not is_finished(events):
            if await page.locator(".my-seat[data-asked]").count():
                await press(page, "c")
        await expect(page.locator(".room")).to_have_attribute(
            "data-shown", str(events[-1].sequence)
        )
        seen: list[tuple[int, int]] = await page.evaluate("window.seen")
        results = list(pauses(events))
        assert len(results) == HANDS - 1
        assert all(stayed >= timedelta(seconds=2) for _, _, stayed in results)
        drawn = [
            [winners for at, winners in seen if result <= at < next_deal]
            for result, next_deal, _ in results
        ]
        shown = [winners for winners in drawn if winners]
        assert len(shown) > HANDS / 2, "a browser that hangs for seconds draws only what is newest"
        assert all(winners[-1] > 0 for winners in shown)


def is_finished(events: list[TableEvent]) -> bool:
    return (events[-1].payload or {}).get("kind") == "finished"


def pauses(events: list[TableEvent]) -> Iterator[tuple[int, int, timedelta]]:
    """Yield the sequences of each showdown and the next deal, and the time between them."""
    kinds = ("hand_completed", "hand_started")
    for result, deal in pairwise(one for one in events if one.event_type in kinds):
        if (result.event_type, deal.event_type) == kinds:
            assert (result.payload or {})["shown"]
            times = [datetime.fromisoformat(one.timestamp) for one in (result, deal)]
            yield result.sequence or 0, deal.sequence or 0, times[1] - times[0]


async def test_who_closes_the_tab_is_waited_for_once(browser: Browser, casino: Casino) -> None:
    """Not until the end of the minute's clock; the seat is free for the next one."""
    live = casino.live
    async with casino.room("closed", 3, **PATIENT):
        async with page_at(browser, live.lobby.url) as (page, watch):
            watch.allow(casino.gateway_url)
            await sit_down(page, live.lobby.url, "closed")
            await press(page, "c")
            await until_asked(page)

        async def is_free() -> bool:
            return "left" in await kinds_of(casino, "closed")

        await eventually(is_free)
        outcomes = [one["outcome"] for one in await casino.decisions("closed")]
        assert set(outcomes) <= {"ok", "away", "sitting_out"}
        assert outcomes.count("away") <= 4
        kinds = await kinds_of(casino, "closed")
        assert "returned" not in kinds
        assert kinds.count("sat_out") <= 1


async def kinds_of(casino: Casino, room_id: str) -> list[object]:
    return [(one.payload or {}).get("kind") for one in await casino.live.events(room_id)]
