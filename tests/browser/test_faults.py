"""The page lists why decisions of the players failed."""

from typing import Any

import pytest
from playwright.async_api import Browser, expect
from support.accessibility import serious_faults
from support.casino.page_harness import ORIGIN, frame, page_harness, room

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

PLAYERS = [
    {"playerId": "p 1", "displayName": "Ada", "seatNumber": 0, "stack": 200},
    {"playerId": "p2", "displayName": "Bob", "seatNumber": 1, "stack": 200},
]
COUNTS: dict[str, Any] = {"roomId": "main", "outcomes": {"ok": 4, "illegal": 1, "sitting_out": 2}}
REASON = "<b>raise</b> to 14 is below the smallest, to 37"
FAULT = {
    "handNumber": 7,
    "epoch": 1,
    "sequence": 9,
    "bettingRound": "flop",
    "outcome": "illegal",
    "turns": 1,
    "latencyMs": 12,
    "timestamp": "2026-11-20T19:43:00.123Z",
    "reason": REASON,
}
PATH = "/v1/rooms/main/players/p%201/faults"


@pytest.mark.parametrize("key", [None, "the-operators-own-key"])
async def test_reasons_are_for_the_operator(browser: Browser, key: str | None) -> None:
    """Loaded when the list is opened, with the key if there is one; shown as text."""
    async with page_harness(browser) as (page, harness, _watch):
        harness.stream(
            "/v1/rooms/main/stream",
            frame("snapshot", {"cursor": 1, "room": room([], PLAYERS)}, 1),
        )
        harness.answers[PATH] = COUNTS | ({"faults": [FAULT]} if key else {})
        harness.answers["/v1/rooms/main/players/p2/faults"] = {**COUNTS, "outcomes": {"ok": 5}}
        harness.answers["/v1/rooms/main/hands"] = {"hands": []}
        if key:
            await page.add_init_script(f"sessionStorage.setItem('operator-token', '{key}')")
        await page.goto(f"{ORIGIN}/#/rooms/main")
        await expect(page.locator(".seat .name").first).to_have_text("Ada")
        assert not [target for _, target, _ in harness.asked if "faults" in target]
        await page.locator("summary", has_text="Failed decisions").click()
        faults = page.locator(".faults-box")
        await expect(faults).to_contain_text("Ada illegal answer 1, sits out 2")
        await expect(faults).not_to_contain_text("Bob")
        headers = [headers for _, target, headers in harness.asked if "faults" in target]
        assert {one.get("authorization") for one in headers} == {f"Bearer {key}" if key else None}
        if key:
            await expect(faults).to_contain_text("hand 7 · flop · illegal answer · 12 ms")
            await expect(faults.locator("q")).to_have_text(REASON)
        else:
            await expect(faults).to_contain_text("The reasons need the operator")
        assert await serious_faults(page) == []
