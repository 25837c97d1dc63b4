"""What spectators see: nothing covers bets, one view in large windows, the controls of a replay."""

import re
from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect
from support.accessibility import serious_faults
from support.casino.page_harness import ORIGIN, frame, page_harness, room
from support.chromium import DESKTOP, PHONE
from support.players.recorded import completed, played

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

TALK = "I have read about hands like yours, and they did not end well at all."
COVERED = """() => {
  const box = (element) => ({ seat: element.closest(".seat"), what: element.className + " "
    + element.textContent, ...element.getBoundingClientRect().toJSON() });
  const all = (selector) => [...document.querySelectorAll(selector)].map(box);
  const bets = all(".table .bet:not([hidden])");
  const others = all(".plate, .table .board .card, .table .pot, .talk:not([data-quiet])");
  const isApart = (one, other) => one.right <= other.left || other.right <= one.left
    || one.bottom <= other.top || other.bottom <= one.top;
  const wrong = [];
  for (const bet of bets) for (const other of [...others, ...bets]) {
    const isOwn = other === bet || (other.seat !== null && other.seat === bet.seat);
    if (!isOwn && !isApart(bet, other)) wrong.push(`${bet.what} / ${other.what}`);
  }
  return bets.length > 2 ? wrong : ["too few bets"];
}"""


def betting(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the events up to the last bet before the last flop; everybody talks."""
    shown = max(
        index
        for index, event in enumerate(events)
        if event["eventType"] == "action_taken"
        and event["payload"]["bettingRound"] == "preflop"
        and event["payload"].get("amount")
    )
    for event in events:
        if event["eventType"] == "action_taken":
            event["payload"]["message"] = TALK
    return events[: shown + 1]


async def open_table(page: Page, harness: Any, events: list[dict[str, Any]]) -> None:
    """Show a room after some events."""
    players = [event["payload"] for event in events if event["eventType"] == "player_registered"]
    begin = room(events[-200:], players, maxSeats=len(players))
    await page.goto("about:blank")  # the page that was shown must not ask for the stream again
    harness.stream("/v1/rooms/main/stream", frame("snapshot", {"cursor": 1, "room": begin}, 1))
    harness.answers["/v1/rooms/main/hands"] = {"hands": completed(events)}
    await page.goto(f"{ORIGIN}/#/rooms/main")
    await expect(page.locator(".seat:not(.empty)")).to_have_count(len(players))
    await page.wait_for_timeout(300)  # a card has come in


@pytest.mark.parametrize("players", [6, 10])
async def test_nothing_covers_a_bet(browser: Browser, players: int) -> None:
    """At every size, while everybody talks; a large window has all parts in one view."""
    events = betting(await played(players, bold=0.08, rebuy="auto", hands=12))
    async with page_harness(browser, reduced_motion="reduce") as (page, harness, _watch):
        for size in (DESKTOP, (1440, 900), (2560, 1440), (720, 900), PHONE):
            await page.set_viewport_size({"width": size[0], "height": size[1]})
            await open_table(page, harness, events)
            await expect(page.locator(".talk")).to_contain_text(TALK)
            assert await page.evaluate(COVERED) == [], size
            assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            if size[0] >= 1440:
                tops = "parts => parts.map(part => part.getBoundingClientRect().top)"
                parts = page.locator(".table, .log-box, .chips, .hands-box")
                assert max(await parts.evaluate_all(tops)) < size[1] - 100, size


async def test_a_replay_is_stepped_by_its_parts_and_plays_on(browser: Browser) -> None:
    """By street, by a line of the log, at four speeds, and into the next hand; theatre with F."""
    events = await played(3, bold=0.1, rebuy="auto", hands=12)
    async with page_harness(browser, DESKTOP) as (page, harness, _watch):
        for number in (1, 2):
            of_hand = [event for event in events if event.get("handId") == f"t1/{number}"]
            harness.answers[f"/v1/rooms/main/hands/{number}"] = {"events": of_hand}
        await open_table(page, harness, events)
        await page.goto(f"{ORIGIN}/#/rooms/main/hands/1/0")
        parts = page.get_by_role("group", name="Parts of the hand").get_by_role("button")
        await expect(parts.first).to_have_text("Start")
        await parts.last.click()
        await expect(parts.last).to_have_attribute("aria-current", "step")
        lines = page.locator(".log li")
        count = await lines.count()
        await lines.first.click()
        await expect(page.locator(".step-told")).to_contain_text("1 / ")
        await expect(lines).to_have_count(count)
        await expect(lines.last).to_have_attribute("data-ahead", "")
        speed = page.get_by_role("button", name="speed")
        await expect(speed).to_have_text(re.compile("^1.* speed$"))
        for _ in range(3):
            await page.keyboard.press("+")
        await expect(speed).to_have_text(re.compile("^4.* speed$"))
        assert await serious_faults(page) == []
        for _ in range(2):
            await page.keyboard.press("-")
        await parts.last.click()
        play = page.get_by_role("button", name="Play or pause")
        await page.keyboard.press("ArrowLeft")
        await play.click()
        on = page.get_by_role("group", name="Replay of hand 2")
        await expect(on).to_be_visible(timeout=20_000)
        await expect(page.locator(".step-told")).to_contain_text(re.compile("^[2-9] / "))
        await play.click()
        await page.keyboard.press("f")
        await expect(page.locator(".this-hand")).to_be_hidden()
        await expect(page.locator(".table")).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(page.locator(".this-hand")).to_be_visible()
        await expect(page.locator(".room")).to_have_attribute("data-mode", "replay")
