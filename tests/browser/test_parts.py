"""Parts of the page: forms, streams, pages, theme."""

import json
from collections.abc import AsyncIterator
from itertools import count
from urllib.parse import quote

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect
from support.casino.page_harness import ORIGIN, PageHarness, frame, page_harness, room

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

SAFE = "!'()*"
"""Characters that `encodeURIComponent` leaves as they are, and Python's `quote` does not."""


@pytest_asyncio.fixture(loop_scope="module")
async def lobby_page(browser: Browser) -> AsyncIterator[tuple[Page, PageHarness]]:
    """Open the lobby without any room."""
    async with page_harness(browser) as (page, harness, _watch):
        harness.stream("/v1/stream", frame("snapshot", {"cursor": 1, "rooms": []}, 1))
        await page.goto(ORIGIN)
        yield page, harness


async def test_violations_are_shown_at_their_fields(lobby_page: tuple[Page, PageHarness]) -> None:
    """Others are shown below the form."""
    page, harness = lobby_page
    await expect(page.get_by_text("No room is open")).to_be_visible()
    await page.get_by_role("button", name="Open a room").first.click()
    problem = {
        "title": "The request has faulty fields",
        "status": 422,
        "detail": "many things",
        "errors": [
            {"pointer": "#/config/bigBlind", "detail": "must be at least smallBlind, 5"},
            {"pointer": "#/requestId", "detail": "is unknown"},
        ],
    }
    harness.problems["/v1/rooms"] = problem
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Big blind").fill("three")
    await dialog.get_by_role("button", name="Open the room").click()
    field = dialog.get_by_label("Big blind")
    await expect(field).to_have_attribute("aria-invalid", "true")
    await expect(field).to_be_focused()
    await expect(field).to_have_accessible_description("must be at least “Small blind”, 5")
    await expect(dialog.get_by_role("alert")).to_have_text("many things")
    sent = json.loads(harness.bodies[-1])
    assert sent["config"]["bigBlind"] == "three"
    assert sent["config"]["smallBlind"] == 1
    assert "roomId" not in sent


async def test_choosing_a_game_limits_the_seats(lobby_page: tuple[Page, PageHarness]) -> None:
    """The games are those of the tables."""
    page, harness = lobby_page
    harness.answers["/api/games"] = {
        "games": [
            {"gameType": "kuhn_poker", "name": "Kuhn poker", "players": {"min": 2, "max": 2}},
            {"gameType": "roulette", "name": "Roulette", "players": {"min": 1, "max": 7}},
            {"gameType": "texas-holdem", "name": "No-limit", "players": {"min": 2, "max": 10}},
        ]
    }
    harness.problems["/v1/rooms"] = {"title": "No", "status": 409, "detail": "not now"}
    await page.goto(ORIGIN)
    await page.reload()
    await page.get_by_role("button", name="Open a room").first.click()
    dialog = page.get_by_role("dialog")
    game, seats = dialog.get_by_label("Game"), dialog.get_by_label("Seats")
    await expect(game.locator("option")).to_have_text(["Kuhn poker", "Roulette", "No-limit"])
    await expect(game).to_have_value("texas-holdem")
    await expect(seats).to_have_value("6")
    for name, offered in (("Roulette", range(2, 8)), ("Kuhn poker", range(2, 3))):
        await game.select_option(name)
        await expect(seats.locator("option")).to_have_text([str(count) for count in offered])
    await dialog.get_by_role("button", name="Open the room").click()
    await expect(dialog.get_by_role("alert")).to_have_text("not now")
    sent = json.loads(harness.bodies[-1])
    assert (sent["gameType"], sent["config"]["maxSeats"]) == ("kuhn_poker", 2)


async def test_an_unknown_room_shows_the_problem(lobby_page: tuple[Page, PageHarness]) -> None:
    """Nothing is retried."""
    page, harness = lobby_page
    await page.goto(f"{ORIGIN}/#/rooms/nowhere")
    await expect(page.locator(".room > .fault")).to_have_text("No.")
    asked = sum("/rooms/nowhere/stream" in path for _, path, _ in harness.asked)
    assert asked == 1


async def test_a_gap_brings_a_new_snapshot(lobby_page: tuple[Page, PageHarness]) -> None:
    """A lost event is noticed."""
    page, harness = lobby_page
    reported = {"tableId": "t", "eventType": "table_error", "message": "?", "timestamp": "?"}
    lost = {"cursor": 9, "roomId": "main", "event": {**reported, "sequence": 9, "epoch": 1}}
    begin = frame("snapshot", {"cursor": 3, "room": room([], [])}, 3)
    first = {"cursor": 1, "roomId": "main", "event": {**reported, "sequence": 1, "epoch": 1}}
    harness.stream(
        "/v1/rooms/main/stream",
        begin + frame("table_event", first, 4) + frame("table_event", lost, 9),
        begin,
    )
    streams = count(1)
    async with page.expect_request(
        lambda request: "/main/stream" in request.url and next(streams) == 2
    ) as again:
        await page.goto(f"{ORIGIN}/#/rooms/main")
    assert "last-event-id" not in await (await again.value).all_headers()


async def test_the_theme_is_kept(lobby_page: tuple[Page, PageHarness]) -> None:
    """A choice overrides the system's, also after a reload."""
    page, _stage = lobby_page
    root = page.locator("html")
    await page.get_by_role("button", name="Use the dark theme").click()
    await expect(root).to_have_attribute("data-theme", "dark")
    await page.reload()
    await expect(root).to_have_attribute("data-theme", "dark")
    await page.get_by_role("button", name="Use the light theme").click()
    await expect(root).to_have_attribute("data-theme", "light")


@pytest.mark.parametrize("room_id", ["High Rollers", "Müller's table", 'a/../b\\c?d#e%2F"<i>'])
async def test_a_room_of_any_id_is_opened_from_the_list(
    lobby_page: tuple[Page, PageHarness], room_id: str
) -> None:
    """Its address names it percent-encoded, also after a reload."""
    page, harness = lobby_page
    found = {**room([], []), "roomId": room_id, "tableId": room_id}
    summary = {**found, "status": "waiting", "handCount": 0, "playerCount": 0}
    path = f"/v1/rooms/{quote(room_id, safe=SAFE)}"
    harness.answers[path] = found
    rooms = frame("snapshot", {"cursor": 1, "rooms": [summary]}, 1)
    harness.stream("/v1/stream", *[rooms] * 5)
    harness.stream(f"{path}/stream", *[frame("snapshot", {"cursor": 1, "room": found}, 1)] * 5)
    harness.asked.clear()
    await page.goto(f"{ORIGIN}/#/")
    await page.reload()
    await page.get_by_role("link", name=room_id).click()
    for _ in range(2):
        await expect(page.get_by_role("heading", level=1)).to_have_text(room_id)
        await expect(page).to_have_title(f"{room_id} · A2A Casino")
        await page.reload()
    streams = [target for _, target, _ in harness.asked if "/stream" in target]
    assert any(f"{path}/stream" in target for target in streams), streams
