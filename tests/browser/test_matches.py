"""Published matches and leagues on the page."""

from typing import Any

import pytest
from casino_contracts import LeagueList, MatchList, WireModel
from casino_lobby.service.match_publishing import (
    kept_hand,
    kept_hands,
    league_summary,
    match_summary,
)
from playwright.async_api import Page, expect
from support.casino.page_harness import ORIGIN, PageHarness
from support.matches.results import league_table, match_result

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

HOSTILE = "<img src=x onerror=alert(1)>"
NAMES = ["equity", "tight", HOSTILE]
TIME = "2026-11-23T20:00:00Z"


def sent(message: WireModel) -> Any:
    """Return a message as the lobby sends it."""
    return message.model_dump(mode="json")


def publish(harness: PageHarness) -> None:
    """Answer as a lobby with two matches and a league."""
    duel, three = match_result(NAMES[:2], name="duel"), match_result(NAMES, name="three")
    league = league_table(NAMES).model_copy(
        update={
            "matrix": tuple(
                pair.model_copy(update={"match": None}) for pair in league_table(NAMES).matrix
            )
        }
    )
    found = MatchList(
        matches=(match_summary("three", three, TIME), match_summary("duel", duel, TIME))
    )
    harness.answers |= {
        "/v1/matches": sent(found),
        "/v1/matches/duel": sent(duel),
        "/v1/matches/three": sent(three),
        "/v1/matches/duel/hands/1": sent(kept_hand("duel", 1, kept_hands("duel", duel))),
        "/v1/leagues": sent(LeagueList(leagues=(league_summary("styles", league, TIME),))),
        "/v1/leagues/styles": sent(league),
    }


async def test_a_match_is_found_and_read(page: Page, harness: PageHarness) -> None:
    """Its chart has a band; names are text; a hand can be saved."""
    publish(harness)
    await page.goto(f"{ORIGIN}/")
    await page.get_by_role("link", name="Matches and leagues").click()
    await expect(page.locator("h1")).to_have_text("Matches and leagues")
    await page.get_by_role("link", name="duel").click()
    await expect(page.locator("h1")).to_have_text("Match duel")
    await expect(page).to_have_title("Match duel · A2A Casino")
    pair = page.locator(".pair")
    await expect(pair.locator("summary")).to_contain_text("equity against tight")
    await expect(pair.locator(".verdict")).to_have_text("better")
    await expect(pair.locator("path.band")).to_have_count(1)
    await expect(pair.locator("path.line")).to_have_count(1)
    await expect(pair.locator("svg")).to_have_attribute("aria-label", "How much better equity"
        " is than tight: +12 (7.6 to 16.4) bb/100 after 2,000 decks.")  # fmt: skip
    await expect(pair.get_by_role("row", name="Adjusted")).to_contain_text("13.8 times")
    rates = page.get_by_role("region", name="Win rates by player")
    await expect(rates.get_by_role("row", name="tight")).to_contain_text("4,000")
    hand = page.locator(".notable li").first
    await hand.locator("summary").click()
    await expect(hand.locator("pre")).to_contain_text('variant = "NT"')
    async with page.expect_download() as saved:
        await hand.get_by_role("button", name="Save").click()
    assert (await saved.value).suggested_filename == "deck-17-0.phh"
    await page.get_by_role("link", name="Replay Deck 17, seating 0").click()
    await expect(page.locator("h1")).to_have_text("Biggest pot: deck 17, seating 0")
    await expect(page.locator(".step-told")).to_have_text("1 / 7 · hand 1 of phh begins")
    await page.keyboard.press("End")
    await expect(page.locator(".step-told")).to_have_text("7 / 7 · hand 1: equity wins 400")
    await expect(page.locator(".seats")).to_contain_text("equity")
    await expect(page.locator(".board .card")).to_have_count(5)
    await page.get_by_role("link", name="Back to the match").click()
    await expect(page.locator("h1")).to_have_text("Match duel")
    await page.goto(f"{ORIGIN}/#/matches/three")
    await expect(page.locator("h1")).to_have_text("Match three")
    await expect(page.locator(".pair")).to_have_count(3)
    await expect(page.locator(".pair[open]")).to_have_count(1)
    await expect(page.locator(".pair h2").last).to_have_text(f"tight against {HOSTILE}")
    assert await page.locator("img[src=x]").count() == 0
