"""A player's page: what it did in all rooms of the casino, then in matches of its name."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect
from support.casino.page_harness import ORIGIN, PageHarness

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

GOLDEN = Path(__file__).parents[1] / "contracts" / "golden"
NAME = "<b>Ada</b> \u202e the one with a very long name"
OPEN = {"bbPer100": 412.5, "halfInterval95": None, "decided": False, "rank": None, "hands": 12}


def career(**changes: Any) -> dict[str, Any]:
    """Return a player with a decided result in Hold'em, and none yet in another game."""
    found: dict[str, Any] = json.loads((GOLDEN / "Career.json").read_text())["full"]
    other = {**found["games"][0], **OPEN, "gameType": "kuhn_poker", "unit": "chips"}
    rooms = [{**found["rooms"][0], "roomId": f"room {number}"} for number in range(40)]
    return {**found, "name": NAME, "games": [*found["games"], other], "rooms": rooms, **changes}


def answer(harness: PageHarness, *players: dict[str, Any]) -> None:
    line = json.loads((GOLDEN / "CareerLine.json").read_text())["full"]
    listed = [{**line, "id": one["id"], "name": one["name"]} for one in players]
    harness.answers |= {f"/v1/players/{one['id']}": one for one in players}
    harness.answers |= {
        "/v1/players": {"gameType": "texas-holdem", "unit": "bb", "players": listed},
        "/v1/matches": {"matches": []},
        "/v1/leagues": {"leagues": []},
    }


async def test_results_that_say_nothing_yet_look_so(page: Page, harness: PageHarness) -> None:
    ada = career()
    answer(harness, ada)
    await page.goto(f"{ORIGIN}/#/players/{ada['id']}")
    await expect(page.locator("h1")).to_have_text(NAME)
    games = page.get_by_role("region", name="Results by game")
    holdem = games.get_by_role("row", name="texas-holdem").locator("td")
    await expect(holdem.first).to_have_text("+21.4 ± 9.2 bb")
    await expect(holdem.first).to_have_attribute("data-kind", "better")
    await expect(holdem.last).to_have_text("1")
    other = games.get_by_role("row", name="kuhn_poker").locator("td")
    await expect(other.first).to_have_text("says nothing yet")
    await expect(other.first).to_have_attribute("data-kind", "undecided")
    await expect(other.last).to_have_text("not decided")
    await expect(page.locator(".introduced")).to_contain_text("tight, aggressive")
    await expect(page.locator(".introduced svg.avatar[aria-hidden=true]")).to_have_count(1)
    hand = page.get_by_role("link", name="main, hand 417").first
    await expect(hand).to_have_attribute("href", "/rooms/main/hands/417?epoch=1")
    await expect(page.locator(".published h2")).to_have_text(
        ["Results", "Play", "Best hands", "Greatest wins", "Rooms", "Matches"]
    )
    assert await page.locator("h1 b").count() == 0


async def test_a_name_leads_to_its_player_or_to_all_who_have_it(
    page: Page, harness: PageHarness
) -> None:
    ada, twin = career(name="Ada"), career(name="Ada", id="00112233445566ff")
    answer(harness, ada)
    await page.goto(f"{ORIGIN}/#/players/Ada")
    await expect(page.locator(".published h2").first).to_have_text("Results")
    answer(harness, ada, twin)
    await page.goto(f"{ORIGIN}/#/matches")
    await page.goto(f"{ORIGIN}/#/players/Ada")
    await expect(page.locator(".published h2")).to_have_text(["Players named Ada", "Matches"])
    await page.get_by_role("link", name=twin["id"]).click()
    await expect(page.locator(".published h2").first).to_have_text("Results")
