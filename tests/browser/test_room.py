"""A room on the page: its results, lists and failed decisions, and what stands where nothing is."""

import re
from itertools import pairwise
from typing import Any

import pytest
from playwright.async_api import Page, expect
from support.accessibility import serious_faults
from support.casino.page_harness import GATEWAY, ORIGIN, PageHarness, frame, frames, rooms, snapshot
from support.chromium import PHONE, fits
from support.players.recorded import completed, hand, players_of, recorded, room
from support.table.standings import series

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

Event = dict[str, Any]

ROOM = "/v1/rooms/main"
LINE = {"status": "running", "handCount": 1, "playerCount": 2, "gameType": "texas-holdem"}


DRAWN = """table => {
  window.drawn = [];
  const note = () => {
    const count = (what) => table.querySelectorAll(what).length;
    const now = {
      phase: table.dataset.phase,
      board: count(".board .card"),
      open: count(".hole .card:not(.back)"),
      odds: count(".odds:not([hidden])"),
      winners: count(".seat.winner"),
      bets: [...table.querySelectorAll(".bet:not([hidden])")].map((bet) => bet.textContent),
    };
    if (JSON.stringify(now) !== JSON.stringify(window.drawn.at(-1))) window.drawn.push(now);
  };
  new MutationObserver(note).observe(table, { subtree: true, childList: true, attributes: true });
}"""
"""Notes what each drawing of the table shows."""


def standing(number: int, net: float, half_interval: float | None) -> Event:
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
    "Player 2 | -652 | says nothing yet | 24 | 400 | -252 | illegal answer 3, too late 1",
]


def serve(harness: PageHarness, events: list[Event], *more: str) -> None:
    """Serve a room that has come so far, and maybe further frames."""
    begin = room(events, players_of(recorded()))
    harness.stream(f"{ROOM}/stream", snapshot(begin, events[-1]["sequence"]) + "".join(more))
    harness.answers[f"{ROOM}/hands"] = {"hands": completed(events)}


async def test_a_dead_button_stands_at_an_empty_seat(page: Page, harness: PageHarness) -> None:
    """And goes when the next hand has it at a player again."""
    events = recorded()
    places = [at for at, event in enumerate(events) if event["eventType"] == "hand_started"]
    begun, later = (events[: place + 1] for place in places[:2])
    begun[-1] = {**begun[-1], "payload": {**begun[-1]["payload"], "buttonSeat": 5}}
    serve(harness, begun)
    await page.goto(f"{ORIGIN}/#/rooms/main")
    seats = page.locator(".table .seat")
    await expect(seats.nth(5)).to_contain_class("empty")
    await expect(seats.nth(5).locator(".badge")).to_have_attribute("title", "dealer")
    await expect(page.locator(".table .badge.d")).to_have_count(1)
    serve(harness, later)
    await page.reload()
    await expect(page.locator(".table .seat:not(.empty) .badge.d")).to_have_count(1)
    await expect(seats.nth(5).locator(".badge")).to_have_count(0)


async def showdown(page: Page, harness: PageHarness) -> list[Event]:
    """Let three players be all-in before the flop, with a side pot; returns what was drawn."""
    events = recorded()
    whole = hand(events, 2)
    dealt = next(at for at, event in enumerate(whole) if "communityCards" in event["payload"])
    begin = room(whole[:dealt], players_of(events))
    whole[-1]["payload"]["pauseMs"] = 5_000
    stream = harness.stream(f"{ROOM}/stream", snapshot(begin, whole[dealt - 1]["sequence"]))
    harness.answers[f"{ROOM}/hands"] = {"hands": []}
    await page.reload()
    await expect(page.locator(".badge.all-in")).to_have_count(3)
    await page.locator(".table").evaluate(DRAWN)
    await stream.push(frames(whole[dealt:]))
    stacks = {one["playerId"]: one["stack"] for one in whole[-1]["payload"]["stacks"]}
    for number in range(5):
        seat = page.locator(".table .seat").nth(number)
        await expect(seat.locator(".stack")).to_have_text(f"{stacks[f'p{number}']:,}")
    await expect(page.locator(".table .bet:visible")).to_have_count(0)
    drawn: list[Event] = await page.evaluate("window.drawn")
    return drawn


async def test_an_all_in_is_shown_street_by_street(page: Page, harness: PageHarness) -> None:
    """Beside open hands and their chances, then each pot goes to its winner; at once if still."""
    await page.add_init_script("localStorage.setItem('pace', 'live')")
    await page.goto(f"{ORIGIN}/#/rooms/main")
    drawn = await showdown(page, harness)
    first, last = drawn[0], drawn[-1]
    assert first == {**first, "phase": "betting", "board": 0, "open": 6, "odds": 3, "winners": 0}
    assert last == {**last, "phase": "over", "board": 5, "odds": 0, "winners": 1, "bets": []}
    for before, after in pairwise(drawn):
        assert before["board"] <= after["board"]
        assert before["phase"] <= after["phase"]
        assert after["winners"] == (1 if after["phase"] == "over" else 0)
    # The side pot goes first; a slow browser draws fewer of the steps in between.
    paid = [one["bets"] for one in drawn if one["bets"]]
    assert paid[:1] in ([], [["308"]], [["124"]])
    told = page.locator("#announcements p", has_text=re.compile("^hand 2: "))
    await expect(told).to_have_count(1)
    await expect(page.locator(".table .act[data-kind='won']")).to_have_count(1)
    assert await serious_faults(page) == []
    await page.emulate_media(reduced_motion="reduce")
    drawn = await showdown(page, harness)
    assert not [one for one in drawn if one["open"] and one["phase"] == "betting"]


async def test_a_room_shows_its_results_to_the_end(page: Page, harness: PageHarness) -> None:
    """Grey while they are open, first when the room is closed; without the operation no panel."""
    events = recorded()
    serve(harness, events)
    await page.goto(f"{ORIGIN}/#/rooms/main")
    await expect(page.locator(".legend li")).to_have_count(5)
    await expect(page.locator(".results")).to_be_hidden()
    harness.answers |= {f"{ROOM}/standings": STANDINGS, f"{ROOM}/series": series(events)}
    closed = {"tableId": "main", "eventType": "table_status", "epoch": 1, "message": "closed"}
    closed |= {"sequence": events[-1]["sequence"] + 1, "payload": {"kind": "closed"}}
    ended = {"roomId": "main", "status": "idle", "state": "closed", "handCount": 24}
    end = frame("room_closed", {"room": {**ended, "playerCount": 0}}, 99_999)
    serve(harness, events, frames([closed]), end)
    await page.reload()
    results = page.get_by_role("region", name="Final results")
    await expect(results).to_contain_text("After 24 hands, Player 1 is ahead with +612")
    rows = results.locator("tbody tr:not(.more)")
    cells = "rows => rows.map(row => [...row.cells].map(cell => cell.innerText).join(' | '))"
    assert (await rows.evaluate_all(cells))[:3] == ROWS
    assert [await row.get_attribute("data-open") for row in await rows.all()][:3] == [None, "", ""]
    await expect(page.locator(".legend")).to_be_hidden()
    top = "element => element.getBoundingClientRect().top"
    assert await results.evaluate(top) < await page.locator(".table").evaluate(top)
    # Who was there at the end is still there, each in a colour of its own.
    await expect(page.locator(".table .seat:not(.empty)")).to_have_count(5)
    paths = page.locator(".chart path.line")
    await expect(paths).to_have_count(5)
    assert len({await path.get_attribute("data-color") for path in await paths.all()}) == 5


async def test_where_nothing_is_the_page_says_so(page: Page, harness: PageHarness) -> None:
    """No other hand, room or table stands there; and the focus stays in the list of hands."""
    events = recorded()
    last = events.index(hand(events, 8)[0])
    await page.add_init_script("localStorage.setItem('pace', 'live')")
    await page.goto(f"{ORIGIN}/#/elsewhere")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Nothing here")
    await page.goto(f"{ORIGIN}/#/rooms/nosuch")
    await expect(page.get_by_role("heading", name="There is no such room")).to_be_visible()
    await expect(page.locator(".room > [role='alert']")).to_have_text("No.")
    for hidden in (page.locator(".table"), page.get_by_text("Run this room")):
        await expect(hidden).to_be_hidden()
    asked = [target for _, target, _ in harness.asked if "/nosuch/stream" in target]
    assert len(asked) == 1, "it is not asked for again"
    serve(harness, events[:last])
    await page.goto(f"{ORIGIN}/#/rooms/main/hands/99")
    await expect(page.get_by_role("heading", name="Hand 99 is not here")).to_be_visible()
    for part in (".table", ".replay"):
        await expect(page.locator(part)).to_be_hidden()
    await expect(page.locator(".log li")).to_have_count(0)
    await page.get_by_role("link", name="Back to the table").click()
    await expect(page.locator(".table")).to_be_visible()
    await page.get_by_role("link", name="#5").focus()
    await harness.streams[f"{ROOM}/stream"].push(frames(events[last:]))
    await expect(page.locator(".hands li").first).to_contain_text("#8")
    await expect(page.get_by_role("link", name="#5")).to_be_focused()


async def test_reasons_of_failed_decisions_are_for_the_operator(
    page: Page, harness: PageHarness
) -> None:
    """Loaded when the list is opened, with the key if there is one; shown as text."""
    reason = "<b>raise</b> to 14 is below the smallest, to 37"
    where = {"handNumber": 7, "epoch": 1, "sequence": 9, "bettingRound": "flop", "turns": 1}
    fault = {**where, "outcome": "illegal", "latencyMs": 12, "reason": reason}
    fault["timestamp"] = "2026-11-20T19:43:00.123Z"
    counts: Event = {"roomId": "main", "outcomes": {"ok": 4, "illegal": 1, "sitting_out": 2}}
    seats = [{"playerId": "p 1", "displayName": "Ada", "seatNumber": 0, "stack": 200}]
    seats.append({"playerId": "p2", "displayName": "Bob", "seatNumber": 1, "stack": 200})
    harness.stream(f"{ROOM}/stream", snapshot(room([], seats)))
    harness.answers |= {
        f"{ROOM}/players/p%201/faults": counts,
        f"{ROOM}/players/p2/faults": {**counts, "outcomes": {"ok": 5}},
        f"{ROOM}/hands": {"hands": []},
    }
    faults = page.locator(".faults-box")
    for key in (None, "the-operators-own-key"):
        await page.goto(f"{ORIGIN}/#/rooms/main")
        if key:
            harness.answers[f"{ROOM}/players/p%201/faults"] = {**counts, "faults": [fault]}
            await page.evaluate("key => sessionStorage.setItem('operator-token', key)", key)
            await page.reload()
        harness.asked.clear()
        await expect(page.locator(".seat .name").first).to_have_text("Ada")
        await page.locator("summary", has_text="Failed decisions").click()
        await expect(faults).to_contain_text("Ada illegal answer 1, sits out 2")
        await expect(faults).not_to_contain_text("Bob")
        headers = [headers for _, target, headers in harness.asked if "faults" in target]
        assert {one.get("authorization") for one in headers} == {f"Bearer {key}" if key else None}
    await expect(faults).to_contain_text("hand 7 · flop · illegal answer · 12 ms")
    await expect(faults.locator("q")).to_have_text(reason)
    assert await serious_faults(page) == []


EVIL = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>'
LONG = "W" * 64
NAMES = {"p0": EVIL, "p1": LONG, "p2": "\u202eevil", "p3": "👑 ⚔️", "p4": "Ada"}


async def test_names_and_messages_never_become_markup(page: Page, harness: PageHarness) -> None:
    """Lobby, table, log, chart, list of hands and replay are checked, on a phone."""
    events = recorded()
    for event in events:
        for who in (event["payload"], *event["payload"].get("players", ())):
            if "displayName" in who:
                who["displayName"] = NAMES[who["playerId"]]
        if event["eventType"] == "action_taken":
            event["payload"]["message"] = EVIL * 3
        event["message"] = event["message"].replace("Player 0", EVIL).replace("Player 1", LONG)
    cut = events.index(hand(events, 3)[-1])
    begin = room(events[:cut], players_of(events))
    harness.stream(f"{ROOM}/stream", snapshot(begin))
    harness.stream("/v1/stream", rooms({**begin["summary"], **LINE, "roomId": "main"}))
    harness.answers |= {
        ROOM: begin,
        f"{ROOM}/hands": {"hands": completed(events[:cut])},
        f"{ROOM}/hands/3": {"events": hand(events, 3)},
    }
    await page.set_viewport_size(PHONE)
    await page.goto(ORIGIN)
    await expect(page.locator(".mini .name").first).to_have_text(EVIL)
    await page.goto(f"{ORIGIN}/#/rooms/main")
    await expect(page.locator(".table .name").first).to_have_text(EVIL)
    await expect(page.locator(".log .said").first).to_have_text(EVIL * 3)
    await expect(page.locator(".hands .told").first).to_be_visible()
    await page.goto(f"{ORIGIN}/#/rooms/main/hands/3/4")
    await expect(page.locator(".step-told")).to_contain_text("5 / ")
    assert await page.evaluate("window.hit") is None
    assert await page.locator("main img, main script").count() == 0
    assert await fits(page)


async def test_the_theme_is_kept(page: Page, harness: PageHarness) -> None:
    harness.stream("/v1/stream", rooms())
    await page.goto(ORIGIN)
    root = page.locator("html")
    await page.get_by_role("button", name="Use the dark theme").click()
    await expect(root).to_have_attribute("data-theme", "dark")
    await page.reload()
    await expect(root).to_have_attribute("data-theme", "dark")
    await page.get_by_role("button", name="Use the light theme").click()
    await expect(root).to_have_attribute("data-theme", "light")


@pytest.mark.parametrize("lost", ["reducer.js", "room.css", "play/room_seat.js"])
async def test_a_page_whose_file_does_not_arrive_is_loaded_once_more_and_says_so(
    page: Page, harness: PageHarness, lost: str
) -> None:
    """A browser gives up what it waits for when the machine's network changes."""
    harness.gateway_url = GATEWAY
    harness.answers |= {"/v1/config": {"gatewayUrl": GATEWAY}, ROOM: room([], [])}
    harness.stream(f"{ROOM}/stream", snapshot(room([], [])))
    harness.lost = lost
    await page.goto(f"{ORIGIN}/rooms/main")
    alert = page.get_by_text("A part of this page did not arrive. Please load it again.")
    await expect(alert).to_be_visible()
    harness.lost = None
    await page.reload()
    await expect(page.locator(".room .facts")).to_contain_text("blinds 1/2")
    await expect(page.locator(".my-place")).to_be_attached()
    await expect(alert).not_to_be_attached()
