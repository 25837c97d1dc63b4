"""Names and messages of players are shown as text."""

import json
from typing import Any

import pytest
from playwright.async_api import Browser, expect
from support.casino.page_harness import ORIGIN, frame, page_harness, room
from support.chromium import DESKTOP, PHONE
from support.players.recorded import completed, hand, played

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

EVIL = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>'
LONG = "W" * 64
NAMES = {"p0": EVIL, "p1": LONG, "p2": "\u202eevil", "p3": "👑 ⚔️"}


def spoiled(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return events with names and messages that contain markup."""
    for event in events:
        payload = event["payload"]
        for who in (payload, *payload.get("players", ())):
            if "displayName" in who:
                who["displayName"] = NAMES[who["playerId"]]
        if event["eventType"] == "action_taken":
            payload["message"] = EVIL * 3
        event["message"] = event["message"].replace("Player 0", EVIL).replace("Player 1", LONG)
    return events


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
async def test_names_and_messages_never_become_markup(
    browser: Browser, size: tuple[int, int]
) -> None:
    """Lobby, table, log, chart, list of hands and replay are checked."""
    events = spoiled(await played(4, rebuy="auto", hands=6))
    number = 3
    cut = events.index(hand(events, number)[-1])
    players = [event["payload"] for event in events if event["eventType"] == "player_registered"]
    async with page_harness(browser, size) as (page, harness, watch):
        begin = room(events[:cut], players)
        line = {**begin["summary"], "roomId": "main", "playerCount": 4, "gameType": "?"}
        harness.stream(
            "/v1/rooms/main/stream", *[frame("snapshot", {"cursor": 1, "room": begin}, 1)]
        )
        harness.stream("/v1/stream", frame("snapshot", {"cursor": 1, "rooms": [line]}, 1))
        harness.answers |= {
            "/v1/rooms/main": begin,
            "/v1/rooms/main/hands": {"hands": completed(events[:cut])},
            f"/v1/rooms/main/hands/{number}": {"events": hand(events, number)},
        }
        await page.goto(ORIGIN)
        await expect(page.locator(".mini .name").first).to_have_text(EVIL)
        await page.goto(f"{ORIGIN}/#/rooms/main")
        await expect(page.locator(".table .name").first).to_have_text(EVIL)
        await expect(page.locator(".log .said").first).to_have_text(EVIL * 3)
        await expect(page.locator(".hands .told").first).to_be_visible()
        await page.goto(f"{ORIGIN}/#/rooms/main/hands/{number}/4")
        await expect(page.locator(".step-told")).to_contain_text("5 / ")
        assert await page.evaluate("window.hit") is None
        assert await page.locator("main img, main script").count() == 0
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert watch.faults == [], json.dumps(watch.faults)
