"""A room of six language models: who decided, what it thought, and what that cost."""

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from casino_contracts import ActionRequest, ActionResponse
from playwright.async_api import Browser, Page, expect
from support.accessibility import serious_faults
from support.casino.loop_casino import LoopCasino, loop_casino
from support.chromium import DESKTOP, PHONE, fits, page_at
from support.processes import eventually
from support.table.table_side import Player, calling

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

ROOM = "/v1/rooms/models"
ROW = "I have a pair, and the pot is small. "
HOSTILE = "<img src=x onerror=alert(1)> \u202e\u2066 " + "x" * 3_000
COST = "Cost of Mini\u2019s 4 decisions: gpt-5-mini · 4,288 tokens · $0.0084 · 4.8 s"
NOT_ITS_OWN = "not decided by the player: model failed"


class Models:
    """Six seats; the first question on the second hand's flop stays open until `go_on`."""

    def __init__(self) -> None:
        self.asked, self.go_on = asyncio.Event(), asyncio.Event()
        self.players = [
            self._player("Opus", "claude-opus-4-5", ROW * 12),
            self._player("Mini", "gpt-5-mini", "Odds are 3 to 1."),
            self._player("Shy", "gemini-2.5-pro", "Nobody may read it.", publishesReasoning=False),
            self._player("Broken", "grok-4", "", defaulted=True),
            self._player("Hostile", "<b>bold</b>", HOSTILE),
            Player("Plain", calling),
        ]

    def _player(
        self, name: str, model: str, thought: str, *, defaulted: bool = False, **profile: Any
    ) -> Player:
        async def decide(request: ActionRequest) -> ActionResponse:
            hand = request.hand_number or 0
            if (hand, request.betting_round) == (2, "flop"):
                self.asked.set()
                await self.go_on.wait()
            usage = {"model": model, "latencyMs": 1200, "inputTokens": 1000 + hand}
            usage |= {"outputTokens": 70, "costUsd": 0.0021}
            answer: dict[str, Any] = {"usage": usage, "reasoning": f"{thought} In hand {hand}."}
            if defaulted:
                detail = f"HTTP 401: invalid x-api-key in hand {hand}"
                answer |= {"defaulted": {"reason": "model_failed", "detail": detail}}
            action = calling(request).action
            return ActionResponse.model_validate({**answer, "action": action})

        says = {"model": model, "publishesReasoning": True, **profile}
        return Player(name, decide, profile=says)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def models() -> AsyncIterator[tuple[LoopCasino, Models]]:
    """Play until the second hand's flop."""
    async with loop_casino() as casino:
        models = Models()
        rules = {
            "maxSeats": 6,
            "maxHands": 2,
            "actionTimeoutMs": 60_000,
            "maxTimeouts": 100,
            "seed": "seven",
        }
        await casino.open("models", "texas-holdem", **rules)
        for player in models.players:
            card = casino.add(player.name.lower(), player.agent())
            assert (await casino.seat(card, "models")).is_success
        yield casino, models
        models.go_on.set()


async def told(page: Page, casino: LoopCasino) -> str:
    """Return what the page and the lobby's public answers say."""
    seats = (await casino.http.get(ROOM)).json()["summary"]["players"]
    faults = [f"{ROOM}/players/{seat['playerId']}/faults" for seat in seats]
    paths = [ROOM, f"{ROOM}/events", f"{ROOM}/hands", f"{ROOM}/standings", *faults]
    answers = [(await casino.http.get(path)).text for path in paths]
    return "\n".join([await page.content(), *answers])


async def test_thoughts_and_costs_are_shown_when_the_hand_is_over(
    browser: Browser, models: tuple[LoopCasino, Models]
) -> None:
    """Not before; then in the log, in the results, and at each step of the replay."""
    casino, seats = models
    async with page_at(browser, casino.url) as (page, _watch):
        await page.add_init_script("localStorage.setItem('pace', 'live')")
        await page.goto(f"{casino.url}/rooms/models")
        await seats.asked.wait()
        log, results = page.locator(".log"), page.locator(".results")
        await expect(log.locator(".street")).to_contain_text("flop")
        await expect(log.locator(".tag.fault")).to_have_text(NOT_ITS_OWN)
        names = ["claude-opus-4-5", "gpt-5-mini", "gemini-2.5-pro", "grok-4", "<b>bold</b>", ""]
        await expect(page.locator(".table .plate .model")).to_have_text(names)
        early = await told(page, casino)
        assert "in hand 1" in early
        assert not re.search("in hand 2", early, re.IGNORECASE)
        payloads = [event.payload or {} for event in await casino.events("models")]
        second = str([one for one in payloads if one.get("handNumber") == 2])
        assert "model_failed" in second
        assert not re.search("disclosed|usage|detail|reasoning", second)
        seats.go_on.set()
        await expect(page.locator(".room-head .pill")).to_have_text("idle")
        await expect(log).to_contain_text(COST)
        await expect(log.locator("q").first).to_have_text("HTTP 401: invalid x-api-key in hand 2")
        await expect(log).to_contain_text("gpt-5-mini: Odds are 3 to 1. In hand 2.")
        await expect(log).not_to_contain_text("Nobody may read it")
        await expect(results).to_contain_text("100 hands: $0.84 · 428.6K tokens")
        await expect(results).to_contain_text("not decided by the player 8 (model failed 8)")
        await results.get_by_role("button", name="Broken").click()
        more = results.locator(".more:not([hidden])")
        await expect(more).to_contain_text("invalid x-api-key in hand 2")
        folded = log.locator("details", has_text="claude-opus").first
        await folded.locator("summary").focus()
        await page.keyboard.press("Enter")
        await expect(folded.locator("p")).to_contain_text(ROW * 12)
        assert await serious_faults(page) == []
        await on_a_phone(page)
        await replay(page)


async def replay(page: Page) -> None:
    """Step through the hand: the thought of each step unfolds, the one before folds."""
    await page.get_by_role("link", name="#2").click()
    log = page.locator(".log")
    opened, heard = log.locator("details[open]"), page.locator(".step-told")
    for name in ("Hostile calls", "Plain calls", "Opus calls"):
        await page.keyboard.press("ArrowRight")
        await expect(heard).to_contain_text(name)
    await expect(log.locator("[aria-current=step] details")).to_have_attribute("open", "")
    await expect(opened).to_have_count(1)
    await expect(opened.locator("p")).to_contain_text("In hand 2.")
    assert await serious_faults(page) == []
    await on_a_phone(page)
    await page.keyboard.press("o")
    await expect(log.locator(".thought")).to_have_count(0)
    await page.keyboard.press("End")
    await expect(log).to_contain_text(COST)
    await expect(log.locator(".thought")).not_to_have_count(0)


async def on_a_phone(page: Page) -> None:
    """Check that a view fits on a phone."""
    await page.set_viewport_size(PHONE)
    await eventually(lambda: fits(page))  # the chart is drawn anew
    await page.set_viewport_size(DESKTOP)
