"""Parts of the page by themselves: what is read of a stream, the pace, links, forms."""

import json
from collections.abc import AsyncIterator
from itertools import count
from typing import Any

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


async def test_a_stream_may_be_cut_anywhere(staging: tuple[Page, PageHarness]) -> None:
    """Every line end, comments, ids, several data lines, a heartbeat in between."""
    text = (
        ": hello\n\nid: 7\r\nevent: a\r\ndata: {\r\ndata:  1}\r\n\r\n: heartbeat\n\n"
        "data:x\n\nevent: empty\n\nid: 8\rdata: y\r\rretry: 5\ndata: z\n\n"
    )
    heard = await staging[0].evaluate(
        """async (text) => {
          const { SseParser } = await import("/page/sse.js");
          const all = [];
          for (let size = 1; size <= text.length; size += 1) {
            const heard = [];
            const parser = new SseParser((...event) => heard.push(event));
            for (let at = 0; at < text.length; at += size) parser.feed(text.slice(at, at + size));
            all.push(JSON.stringify(heard));
          }
          return [...new Set(all)];
        }""",
        text,
    )
    assert [json.loads(one) for one in heard] == [
        [
            ["a", "{\n 1}", "7"],
            ["message", "x", None],
            ["message", "y", "8"],
            ["message", "z", None],
        ]
    ]


async def test_the_pace_is_calm_and_skips_nothing(staging: tuple[Page, PageHarness]) -> None:
    """Slow events at once; of fast ones one after the other, and whole hands in one go."""
    page = staging[0]
    await page.clock.install()
    await page.evaluate(
        """async () => {
          const { Pace } = await import("/page/pace.js");
          window.shown = [];
          const show = (items) => shown.push(items.map((item) => item.data.event.n));
          window.pace = new Pace(show, { isCalm: true });
          const kinds = ["hand_started", "action_taken", "hand_completed"];
          window.tell = (...numbers) => numbers.forEach((n) =>
            pace.push({ name: "table_event", data: { event: { n, eventType: kinds[n % 3] } } }));
        }"""
    )

    async def after(ms: int, *numbers: int) -> Any:
        await page.evaluate("(numbers) => tell(...numbers)", numbers)
        await page.clock.run_for(ms)
        return await page.evaluate("shown.splice(0)")

    assert await after(1, 0) == [[0]]
    assert await after(2_000) == []
    assert await after(1, 1) == [[1]], "nobody waits for what is slow by itself"
    assert await after(1, 2, *range(3, 12)) == []
    assert await after(500) == [[2]]
    assert await after(3_000) == [list(range(3, 10))], "it jumps to the newest hand"
    assert await after(5_000) == [[10], [11]]
    assert await page.evaluate("pace.isLive")
    await page.evaluate("pace.isCalm = false")
    assert await after(0, 12, 13) == [[12], [13]]


@pytest.mark.parametrize(
    ("link", "meant"),
    [
        ("", [None, None, None]),
        ("#/", [None, None, None]),
        ("#/rooms/main", ["main", None, None]),
        ("#/rooms/a%3Ab/hands/3", ["a:b", 3, None]),
        ("#/rooms/main/hands/3/7", ["main", 3, 7]),
        ("#/rooms/main/hands/x/7", ["main", None, None]),
        ("#/rooms/main/hands/-1", ["main", None, None]),
        ("#/rooms/%E0%A4%A/", ["%E0%A4%A", None, None]),
        ("#/elsewhere", [None, None, None]),
    ],
)
async def test_links(staging: tuple[Page, PageHarness], link: str, meant: list[Any]) -> None:
    """What is no link leads to the lobby, or to the room."""
    told = await staging[0].evaluate(
        """async (link) => {
          const { parse } = await import("/page/router.js");
          const { room, hand, step } = parse(link);
          return [room, hand, step];
        }""",
        link,
    )
    assert told == meant


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
