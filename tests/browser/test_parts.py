"""Parts of the page by themselves: what is read of a stream, the pace, links, forms."""

import json
from collections.abc import AsyncIterator
from itertools import count

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect
from support.casino.page_harness import ORIGIN, PageHarness, frame, room, staged

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(loop_scope="module")
async def staging(browser: Browser) -> AsyncIterator[tuple[Page, PageHarness]]:
    """Open the lobby without any room."""
    async with staged(browser) as (page, stage, _watch):
        stage.stream("/v1/stream", frame("snapshot", {"cursor": 1, "rooms": []}, 1))
        await page.goto(ORIGIN)
        yield page, stage


async def test_faults_stand_at_their_fields(staging: tuple[Page, PageHarness]) -> None:
    """Those of the problem's errors; what has no field stands below."""
    page, stage = staging
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
    stage.problems["/v1/rooms"] = problem
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Big blind").fill("three")
    await dialog.get_by_role("button", name="Open the room").click()
    field = dialog.get_by_label("Big blind")
    await expect(field).to_have_attribute("aria-invalid", "true")
    await expect(field).to_be_focused()
    await expect(field).to_have_accessible_description("must be at least smallBlind, 5")
    await expect(dialog.get_by_role("alert")).to_have_text("many things")
    sent = json.loads(stage.bodies[-1])
    assert sent["config"]["bigBlind"] == "three"
    assert sent["config"]["smallBlind"] == 1
    assert "roomId" not in sent


async def test_a_game_is_chosen_with_its_seats(staging: tuple[Page, PageHarness]) -> None:
    """Those that the tables play; not more seats than a game has players."""
    page, stage = staging
    stage.answers["/api/games"] = {
        "games": [
            {"gameType": "kuhn_poker", "name": "Kuhn poker", "players": {"min": 2, "max": 2}},
            {"gameType": "roulette", "name": "Roulette", "players": {"min": 1, "max": 7}},
            {"gameType": "texas-holdem", "name": "No-limit", "players": {"min": 2, "max": 10}},
        ]
    }
    stage.problems["/v1/rooms"] = {"title": "No", "status": 409, "detail": "not now"}
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
    sent = json.loads(stage.bodies[-1])
    assert (sent["gameType"], sent["config"]["maxSeats"]) == ("kuhn_poker", 2)


async def test_a_room_that_is_not_there_is_told(staging: tuple[Page, PageHarness]) -> None:
    """In the lobby's own words, and nothing is tried again."""
    page, stage = staging
    await page.goto(f"{ORIGIN}/#/rooms/nowhere")
    await expect(page.locator(".room > .fault")).to_have_text("No.")
    asked = sum("/rooms/nowhere/stream" in path for _, path, _ in stage.asked)
    assert asked == 1


async def test_a_gap_brings_a_new_snapshot(staging: tuple[Page, PageHarness]) -> None:
    """An event that was lost on the way is not overlooked."""
    page, stage = staging
    told = {"tableId": "t", "eventType": "table_error", "message": "?", "timestamp": "?"}
    lost = {"cursor": 9, "roomId": "main", "event": {**told, "sequence": 9, "epoch": 1}}
    begin = frame("snapshot", {"cursor": 3, "room": room([], [])}, 3)
    first = {"cursor": 1, "roomId": "main", "event": {**told, "sequence": 1, "epoch": 1}}
    stage.stream(
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


async def test_the_theme_is_kept(staging: tuple[Page, PageHarness]) -> None:
    """A choice holds against the system's, also after a reload."""
    page, _stage = staging
    root = page.locator("html")
    await page.get_by_role("button", name="Use the dark theme").click()
    await expect(root).to_have_attribute("data-theme", "dark")
    await page.reload()
    await expect(root).to_have_attribute("data-theme", "dark")
    await page.get_by_role("button", name="Use the light theme").click()
    await expect(root).to_have_attribute("data-theme", "light")
