"""The page of a bot's author: the key leaves the address, and words of others stay text."""

import re
from typing import Any

import pytest
from playwright.async_api import Page, expect
from support.accessibility import serious_faults
from support.casino.page_harness import ORIGIN, PageHarness
from support.chromium import PHONE, fits

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

KEY = "k" * 64
ACE = {"rank": "A", "suit": "hearts"}
WORDS = "<img src=x onerror=alert(1)> wins 40"
HAND: dict[str, Any] = {
    "handNumber": 7,
    "epoch": 2,
    "timestamp": "2026-11-20T19:43:00.123Z",
    "message": f"Hand 7: {WORDS}",
    "position": "BTN",
    "net": -1200,
    "holeCards": [ACE, {"rank": "K", "suit": "clubs"}],
    "communityCards": [ACE],
    "decisions": 1,
    "faults": 1,
    "slowestMs": 35,
}
DECISION: dict[str, Any] = {
    "bettingRound": "flop",
    "action": "fold",
    "outcome": "illegal",
    "latencyMs": 35,
    "reason": "<b>raise</b> to 14 is below the smallest",
    "refused": '{"action":"raise","amount":14}',
    "answer": {"action": "fold"},
    "question": {"toCall": 8},
}
IDS = {"roomId": "main", "playerId": "player-1"}
PATH = "/v1/rooms/main/players/player-1/hands"


async def test_hands_of_a_bot(page: Page, harness: PageHarness) -> None:
    """From the link to one question; the key is in headers, and in no address."""
    await page.set_viewport_size(PHONE)
    harness.answers[PATH] = {**IDS, "hands": [HAND]}
    harness.answers[f"{PATH}/7"] = {**IDS, "hand": HAND, "decisions": [DECISION]}
    await page.goto(f"{ORIGIN}/#/me/main/player-1?key={KEY}")
    row = page.locator(".my-hands tbody tr")
    await expect(row).to_contain_text("-1,200")
    await expect(page).to_have_url(f"{ORIGIN}/#/me/main/player-1")
    await expect(row.locator(".result")).to_have_text(WORDS)
    assert await serious_faults(page) == []
    await row.get_by_role("link").click()
    hand = page.locator(".my-hand")
    await expect(hand.locator("h2")).to_have_text("Hand 7 · BTN · -1,200")
    await expect(hand.locator("h2")).to_be_focused()
    await expect(page).to_have_url(f"{ORIGIN}/#/me/main/player-1/2.7")
    await expect(hand.locator("q")).to_have_text(DECISION["reason"])
    await expect(hand.locator("code")).to_have_text(DECISION["refused"])
    await expect(hand.locator("summary")).to_have_text(["Answer that counted", "Question"])
    await expect(hand).to_contain_text(re.compile(r'"toCall": 8'))
    assert await serious_faults(page) == []
    own = [(target, headers) for _, target, headers in harness.asked if "/hands" in target]
    assert [headers["authorization"] for _, headers in own] == [f"Bearer {KEY}"] * 2
    assert not any(KEY in target for _, target, _ in harness.asked)
    assert await fits(page)
    await page.reload()  # the tab keeps the key
    await expect(hand.locator("h2")).to_have_text("Hand 7 · BTN · -1,200")
    assert await page.evaluate("Object.keys(localStorage).length") == 0
