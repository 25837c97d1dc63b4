"""Lobby, room and replay are accessible and fit, at any table and size, with recorded hands."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, ViewportSize, expect
from support.accessibility import serious_faults
from support.casino.page_harness import ORIGIN, PageHarness, rooms, snapshot
from support.chromium import DESKTOP, PHONE, fits, settled
from support.layout_probe import layout_faults
from support.players.recorded import completed, hand, played_any, players_of, recorded, room
from support.table.standings import series, standings

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PICTURES = os.environ.get("CASINO_PICTURES")
"""Set to a directory, the pictures of the documentation are written there."""
NAMES = ("Ada", "Grace", "Alan", "Barbara", "Edsger", "Hedy")
LINE = {"status": "running", "handCount": 12, "playerCount": 6, "gameType": "texas-holdem"}
VIEWS = {
    "lobby": ("", ".mini .board .card"),
    "room": ("rooms/main", ".seat.acting"),
    "replay": ("rooms/main/hands/3/99", ".seat.winner"),
}
"""Addresses, and what is there when the view is."""


def named(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    for event in events:
        payload = event["payload"]
        for who in (payload, *payload.get("players", ())):
            if "displayName" in who:
                who["displayName"] = NAMES[int(who["playerId"][1:])]
        if "latencyMs" in payload:
            payload["latencyMs"] = 180 + event["sequence"] * 137 % 1700
        for number, name in enumerate(NAMES):
            event["message"] = event["message"].replace(f"Player {number}", name)
    return events


def moment(events: Sequence[dict[str, Any]]) -> int:
    """Return the index of the action after the flop with the largest pot that is answered."""
    played = [
        (event["payload"]["pot"], index)
        for index, event in enumerate(events[:-1])
        if event["eventType"] == events[index + 1]["eventType"] == "action_taken"
        and event["payload"]["bettingRound"] != "preflop"
    ]
    return max(played)[1]


def serve(harness: PageHarness) -> None:
    """Answer as a lobby with two rooms in the middle of hands."""
    events = named(recorded())
    now = moment(events)
    events[now]["timestamp"] = datetime.now(UTC).isoformat()
    events[now]["payload"]["message"] = "I have read about hands like yours."
    for name, shown in (("main", events[: now + 1]), ("late", events[: now - 3])):
        harness.answers[f"/v1/rooms/{name}"] = {
            **room(shown, players_of(events)),
            "roomId": name,
        }
    harness.answers |= {
        "/v1/rooms/main/hands": {"hands": completed(events[:now])},
        "/v1/rooms/main/hands/3": {"events": hand(events, 3)},
        "/v1/rooms/main/standings": standings(events[: now + 1]),
        "/v1/rooms/main/series": series(events[: now + 1]),
    }
    harness.stream("/v1/rooms/main/stream", snapshot(harness.answers["/v1/rooms/main"]))
    harness.stream("/v1/stream", rooms(*({**LINE, "roomId": name} for name in ("main", "late"))))


@pytest.mark.parametrize("view", VIEWS)
async def test_a_view_is_accessible_and_fits(page: Page, harness: PageHarness, view: str) -> None:
    """On a phone with both themes, and on a desktop."""
    serve(harness)
    path, shown = VIEWS[view]
    await page.set_viewport_size(PHONE)
    await page.goto(f"{ORIGIN}/{path}")
    await expect(page.locator(shown).first).to_be_visible()
    assert await serious_faults(page) == []
    assert await fits(page)
    await picture(page, f"{view}-phone")
    await page.set_viewport_size(DESKTOP)
    assert await fits(page)


async def picture(page: Page, name: str) -> None:
    """Save pictures of the page, if requested."""
    if PICTURES:
        await settled(page)
        await page.screenshot(path=Path(PICTURES) / f"{name}.png")
        await page.set_viewport_size({"width": 1140, "height": 720})
        for scheme in ("dark", "light"):
            await page.emulate_media(color_scheme=scheme)
            await page.screenshot(path=Path(PICTURES) / f"{name.replace('phone', scheme)}.png")


LARGE: ViewportSize = {"width": 2560, "height": 1440}


@pytest.mark.parametrize("size", [DESKTOP, LARGE], ids=["desktop", "large"])
async def test_all_parts_of_a_room_are_in_one_view(
    page: Page, harness: PageHarness, size: ViewportSize
) -> None:
    serve(harness)
    await page.set_viewport_size(size)
    await page.goto(f"{ORIGIN}/rooms/main")
    await expect(page.locator(".seat.acting")).to_be_visible()
    parts = page.locator(".table, .log-box, .chips, .hands-box")
    tops = "parts => parts.map(part => part.getBoundingClientRect().top)"
    assert max(await parts.evaluate_all(tops)) < size["height"] - 100
    assert await layout_faults(page) == []


@pytest.mark.parametrize(
    ("game", "players", "size"), [("roulette", 6, PHONE), ("blackjack", 4, DESKTOP)]
)
async def test_another_game_is_laid_out(
    page: Page, harness: PageHarness, game: str, players: int, size: ViewportSize
) -> None:
    """Every moment of a hand is checked, with the public state in the middle."""
    events = await played_any(game, players, hands=2)
    of_hand = hand(events, 1)
    found = {**room(events, players_of(events), game, maxSeats=players), "seeded": True}
    line = {**LINE, "roomId": "main", "gameType": game, "playerCount": players}
    harness.answers |= {
        "/v1/rooms/main": found,
        "/v1/rooms/main/hands": {"hands": completed(events)},
        "/v1/rooms/main/hands/1": {"events": of_hand},
    }
    harness.stream("/v1/rooms/main/stream", snapshot(found))
    harness.stream("/v1/stream", rooms(line))
    await page.set_viewport_size(size)
    await page.emulate_media(reduced_motion="reduce")
    await page.goto(f"{ORIGIN}/rooms/main/hands/1/0")
    await expect(page.locator(".room .facts")).to_contain_text(game)
    await expect(page.locator(".room .facts")).to_contain_text("seeded")
    for step in range(1, len(of_hand) + 1):
        await expect(page.locator(".step-told")).to_contain_text(f"{step} / {len(of_hand)}")
        assert await layout_faults(page) == []
        await page.keyboard.press("ArrowRight")
    await expect(page.locator(".table .board .card")).to_have_count(0)
    assert await fits(page)
    await page.goto(f"{ORIGIN}/")
    await page.locator(".rooms .mini").scroll_into_view_if_needed()  # only then it is loaded
    await expect(page.locator(".rooms .mini .facts")).to_contain_text(game)
    await expect(page.locator(".rooms .mini .pot")).to_contain_text(": ")


async def test_many_rooms_are_found_and_only_what_is_seen_is_loaded(
    page: Page, harness: PageHarness
) -> None:
    """The best table is featured; the list is bounded, searched by a player, and remembered."""
    serve(harness)
    harness.answers["/v1/rooms/main"]["config"]["bigBlind"] = 10_000
    seated = {"players": [{"playerId": "p1", "displayName": "<b>Rare</b> Ada"}]}
    lines = [{**LINE, "roomId": f"r{number}", "bigBlind": number + 1} for number in range(500)]
    lines[250] |= seated
    lines.append({**LINE, "roomId": "main", "bigBlind": 10_000})
    harness.stream("/v1/stream", rooms(*lines))
    await page.goto(ORIGIN)
    rows = page.locator(".room-row")
    await expect(rows).to_have_count(24)
    await expect(page.locator(".featured")).to_have_attribute("data-room", "main")
    await expect(page.locator(".featured .now")).to_contain_text("is to act")
    loads = [target for _, target, _ in harness.asked if target.startswith("/v1/rooms/")]
    assert loads == ["/v1/rooms/main?events=60"]
    await page.get_by_role("searchbox").fill("rare ADA")
    await expect(rows).to_have_count(1)
    await expect(rows.get_by_role("link")).to_have_text("r250")
    await page.get_by_role("searchbox").fill("")
    await page.get_by_role("combobox").select_option("stakes")
    await expect(rows.first.get_by_role("link")).to_have_text("main")
    await page.reload()
    await expect(rows.first.get_by_role("link")).to_have_text("main")
    await page.locator(".featured h2 a").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("main")
