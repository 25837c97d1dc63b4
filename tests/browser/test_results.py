"""Results, replay and what stands where nothing is, with recorded hands."""

import asyncio
import re
from itertools import count
from typing import Any

import pytest
from playwright.async_api import Browser, Page, Route, expect
from support.accessibility import serious_faults
from support.casino.page_harness import ORIGIN, PageHarness, frame, frames, page_harness, room
from support.players.recorded import completed, hand, played
from support.table.standings import series

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

Event = dict[str, Any]


def standing(number: int, net: float, half_interval: float | None) -> Event:
    """Return a player's standing."""
    return {
        "playerId": f"p{number}",
        "displayName": f"Player {number}",
        "hands": 24,
        "net": net,
        "bought": 400,
        "stack": 400 + net,
        "bbPer100": net * 2,
        "halfInterval95": half_interval,
        "faults": {"illegal": 3, "timeout": 1} if number == 2 else {},
        "decisions": 60,
    }


STANDINGS: Event = {
    "roomId": "main",
    "hands": 24,
    "players": [
        standing(1, 612, 480),
        standing(0, 40, 90.55),
        {**standing(2, -652, None), "hasLeft": True},
    ],
}
ROWS = [
    "Player 1 | +612 | +1,224 ± 480 | 24 | 400 | 1,012 | none",
    "Player 0 | +40 | +80 ± 90.6 | 24 | 400 | 440 | none",
    "Player 2 | -652 | -1,304, says nothing yet | 24 | 400 | -252 | illegal answer 3, too late 1",
]


async def session() -> tuple[list[Event], list[Event]]:
    """Return the events of 24 hands, and their players."""
    events = await played(3, bold=0.2, rebuy="auto", hands=24)
    players = [event["payload"] for event in events if event["eventType"] == "player_registered"]
    return events, players


def serve(harness: PageHarness, events: list[Event], snapshot: Event, *more: str) -> None:
    """Serve a room: its snapshot and further frames, then silence."""
    first = frame("snapshot", {"cursor": 1, "room": snapshot}, snapshot["events"][-1]["sequence"])
    harness.stream("/v1/rooms/main/stream", first + "".join(more))
    harness.answers["/v1/rooms/main/hands"] = {"hands": completed(events)}
    for number in (1, 2, 3):
        harness.answers[f"/v1/rooms/main/hands/{number}"] = {"events": hand(events, number)}


async def rows(page: Page) -> list[str]:
    """Return the lines of the results."""
    cells = "rows => rows.map(row => [...row.cells].map(cell => cell.innerText).join(' | '))"
    found: list[str] = await page.locator(".results tbody tr:not(.more)").evaluate_all(cells)
    return found


async def test_a_room_shows_its_results_to_the_end(browser: Browser) -> None:
    """Grey while they are open, first when the room is closed; without the operation no panel."""
    events, players = await session()
    snapshot = room(events[-200:], players)
    closed = {"tableId": "main", "eventType": "table_status", "epoch": 1, "message": "closed"}
    closed |= {"sequence": events[-1]["sequence"] + 1, "payload": {"kind": "closed"}}
    ended = {"roomId": "main", "status": "idle", "state": "closed", "handCount": 24}
    end = frames([closed]) + frame("room_closed", {"room": {**ended, "playerCount": 0}}, 99_999)
    async with page_harness(browser, color_scheme="dark") as (page, harness, _watch):
        serve(harness, events, snapshot)
        await page.goto(f"{ORIGIN}/#/rooms/main")
        await expect(page.locator(".legend li")).to_have_count(3)
        await expect(page.locator(".results")).to_be_hidden()
        harness.answers["/v1/rooms/main/standings"] = STANDINGS
        harness.answers["/v1/rooms/main/series"] = series(events)
        serve(harness, events, snapshot, end)
        # On a slow machine the page connects again before it is loaded again.
        harness.streams["/v1/rooms/main/stream"] *= 2
        await page.reload()
        results = page.get_by_role("region", name="Final results")
        await expect(results).to_contain_text("After 24 hands, Player 1 is ahead with +612")
        assert await rows(page) == ROWS
        are_open = [
            await row.get_attribute("data-open")
            for row in await results.locator("tbody tr:not(.more)").all()
        ]
        assert are_open == [None, "", ""]
        await expect(page.locator(".legend")).to_be_hidden()
        top = "element => element.getBoundingClientRect().top"
        assert await results.evaluate(top) < await page.locator(".table").evaluate(top)
        # Who was there at the end is still there, each in a colour of its own.
        await expect(page.locator(".table .seat:not(.empty)")).to_have_count(3)
        paths = page.locator(".chart path.line")
        await expect(paths).to_have_count(3)
        assert len({await path.get_attribute("data-color") for path in await paths.all()}) == 3
        assert await serious_faults(page) == []


async def test_a_name_opens_statistics_and_is_alone_in_the_chart(browser: Browser) -> None:
    """At 360 px too; equal names are made distinct, and the focus stays."""
    events, players = await session()
    tally = {"count": 31, "of": 120}
    names = ("vpip", "pfr", "threeBet", "cBet", "wentToShowdown", "wonAtShowdown")
    play = {**dict.fromkeys(names, tally), "aggression": {"count": 3, "of": 2}}
    latency = {"decisions": 60, "p50": 42, "p95": 310}
    first, second, third = STANDINGS["players"]
    lines = [{**first, "statistics": play, "latency": latency}, second]
    lines.append({**third, "displayName": second["displayName"], "playerId": "p7"})
    async with page_harness(browser, (360, 780), reduced_motion="reduce") as (
        page,
        harness,
        _watch,
    ):
        harness.answers["/v1/rooms/main/standings"] = {**STANDINGS, "players": lines}
        harness.answers["/v1/rooms/main/series"] = series(events)
        serve(harness, events, room(events[-200:], players))
        await page.goto(f"{ORIGIN}/#/rooms/main")
        await expect(page.get_by_role("button", name="Player 0 #0")).to_be_visible()
        await expect(page.get_by_role("button", name="Player 0 #7 (left)")).to_be_visible()
        await expect(page.locator(".chart path.line")).to_have_count(3)
        name = page.get_by_role("button", name="Player 1")
        await name.focus()
        await page.keyboard.press("Enter")
        await expect(page.locator(".chart path.line")).to_have_count(1)
        await expect(page.locator(".chart path.band")).to_have_count(1)
        await expect(page.locator(".chart")).to_contain_text("luck alone keeps 95 % of players")
        await expect(page.locator(".chart svg")).to_have_attribute("aria-label", COURSE)
        more = page.locator(".results .more:visible")
        await expect(more).to_have_count(1)
        await expect(more).to_contain_text("26 % of 120")
        await expect(more.locator("dt")).to_have_text(TERMS)
        await expect(name).to_be_focused()
        await expect(name).to_have_attribute("aria-expanded", "true")
        wide = "() => document.documentElement.scrollWidth"
        assert await page.evaluate(wide) <= 360
        assert await serious_faults(page) == []
        await name.click()
        await expect(page.locator(".chart path.line")).to_have_count(3)
        await expect(more).to_have_count(0)


COURSE = "Net of Player 1 over hands 1 to 24; the results have the numbers."
TERMS = [re.compile(f"^{re.escape(term)}: ") for term in ("VPIP", "PFR", "3B", "CB", "AF", "WTSD")]
TERMS += [re.compile(f"^{re.escape(term)}: ") for term in ("W$SD", "p50", "p95")]


async def test_a_replay_has_open_cards_keys_and_neighbours(browser: Browser) -> None:
    """Cards that are shown at the end lie open from the start, unless they are hidden."""
    events, players = await session()
    ends = (event for event in events if event["eventType"] == "hand_completed")
    number, shown = next(
        (event["payload"]["handNumber"], event["payload"]["shown"])
        for event in ends
        if len(event["payload"]["shown"]) > 1 and event["payload"]["handNumber"] > 1
    )
    async with page_harness(browser) as (page, harness, _watch):
        serve(harness, events, room(events[-200:], players))
        for near in (number - 1, number, number + 1):
            answer = {"events": hand(events, near)}
            harness.answers[f"/v1/rooms/main/hands/{near}"] = answer
        await page.goto(f"{ORIGIN}/#/rooms/main/hands/{number}/0")
        cards = page.locator(".table .hole .card:not(.back)")
        await expect(cards).to_have_count(2 * len(shown))
        await page.keyboard.press("o")
        await expect(cards).to_have_count(0)
        await page.get_by_role("button", name="Open cards").click()
        await expect(cards).to_have_count(2 * len(shown))
        for key, expected in (("ArrowUp", number + 1), ("ArrowDown", number)):
            await page.keyboard.press(key)
            await expect(page.locator(".step-told")).to_contain_text(f"hand {expected} begins")
            assert f"/hands/{expected}" in page.url
        await page.keyboard.press("?")
        await expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
        assert await serious_faults(page) == []
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await expect(page.locator(".room")).to_have_attribute("data-mode", "replay")
        await page.keyboard.press("Escape")
        await expect(page.locator(".room")).to_have_attribute("data-mode", "live")
        assert page.url.endswith("/rooms/main")
        assert "#" not in page.url


async def test_where_nothing_is_the_page_says_so(browser: Browser) -> None:
    """No other hand, room or table stands there; and the focus stays in the list of hands."""
    events, players = await session()
    last = next(at for at, event in enumerate(events) if event.get("handId") == "t1/24")
    gate, connections = asyncio.Event(), count(1)
    async with page_harness(browser) as (page, harness, _watch):

        async def stream(route: Route) -> None:
            """Send the snapshot, and the last hand on the second connection, once it may come."""
            if next(connections) == 2:
                await gate.wait()
                await route.fulfill(body=frames(events[last:]), content_type="text/event-stream")
            else:
                await harness.answer(route)

        await page.add_init_script("localStorage.setItem('pace', 'live')")
        await page.goto(f"{ORIGIN}/#/elsewhere")
        await expect(page.get_by_role("heading", level=1)).to_have_text("Nothing here")
        await page.goto(f"{ORIGIN}/#/rooms/nosuch")
        await expect(page.get_by_role("heading", name="There is no such room")).to_be_visible()
        await expect(page.locator(".table")).to_be_hidden()
        await expect(page.get_by_text("Run this room")).to_be_hidden()
        serve(harness, events[:last], room(events[:last][-200:], players))
        await page.route("**/rooms/main/stream*", stream)
        await page.goto(f"{ORIGIN}/#/rooms/main/hands/99")
        await expect(page.get_by_role("heading", name="Hand 99 is not here")).to_be_visible()
        for part in (".table", ".replay"):
            await expect(page.locator(part)).to_be_hidden()
        await expect(page.locator(".log li")).to_have_count(0)
        await page.get_by_role("link", name="Back to the table").click()
        await expect(page.locator(".table")).to_be_visible()
        await page.get_by_role("link", name="#21").focus()
        gate.set()
        await expect(page.locator(".hands li").first).to_contain_text("#24", timeout=20_000)
        await expect(page.get_by_role("link", name="#21")).to_be_focused()
