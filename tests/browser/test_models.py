"""A room of six language models: who decided, what it thought, and what that cost."""

import asyncio
import json
import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from casino_agentkit import Agent
from casino_player_example.any_game import any_game_agent, open_llm_player
from casino_player_example.rulebook import Rulebook
from casino_player_example.settings import PlayerSettings
from casino_player_example.styles.llm import LlmPlayer
from playwright.async_api import Browser, Page, expect
from support.accessibility import serious_faults
from support.casino.loop_casino import LoopCasino, loop_casino
from support.chromium import DESKTOP, PHONE, fits, page_at
from support.players.model_server import KEY, AskedModel, ModelReply, ModelServer, says, status
from support.processes import eventually

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

ROOM = "/v1/rooms/models"
ROW = "I have a pair, and the pot is small. "
HOSTILE = "<img src=x onerror=alert(1)> \u202e\u2066 " + "x" * 3_000
COST = re.compile(r"Cost of Mini\u2019s 4 decisions: gpt-4\.1-mini · 4,288 tokens · \$0\.\d+ · \d+")
NOT_ITS_OWN = "not decided by the player: provider away"


class Model:
    """A player and its model, which calls and checks; `fails`: its provider refuses its key.

    `room` holds up the first decisions on the second hand's flop. `is_apart`: the provider sends
    the thoughts apart from the answer.
    """

    def __init__(
        self,
        room: "Models",
        name: str,
        model: str,
        thought: str,
        *,
        fails: bool = False,
        is_apart: bool = False,
        is_shy: bool = False,
    ) -> None:
        self.name = name
        self._room, self._thought, self._fails, self._is_apart = room, thought, fails, is_apart
        self._hand = 0
        settings = PlayerSettings.load(
            {}, style="llm", llm_model=model, llm_api_key=KEY, llm_publish_reasoning=not is_shy
        )
        self.player: LlmPlayer = open_llm_player(
            settings, provider=ModelServer(self._answer).transport()
        )

    def agent(self) -> Agent:
        return any_game_agent(self.name, "Asks a model.", self.player, Rulebook(None))

    async def _answer(self, asked: AskedModel) -> ModelReply:
        prompt = asked.messages[-1][1]
        offers = re.findall(r'^\{"action_type": "([a-z-]+)"', prompt, re.MULTILINE)
        if not offers:
            return await says("ready")(asked)
        is_preflop = re.search("^Flop", prompt, re.MULTILINE) is None
        self._hand += is_preflop  # where each player decides once
        if self._hand == 2 and not is_preflop:
            self._room.asked.set()
            await self._room.go_on.wait()
        if self._fails:
            return await status(401, f"invalid x-api-key in hand {self._hand}")(asked)
        thought = f"{self._thought} In hand {self._hand}."
        action = json.dumps({"action_type": "check" if "check" in offers else "call"})
        tokens = (1000 + self._hand, 70)
        if self._is_apart:
            return await says(action, thoughts=thought, tokens=tokens)(asked)
        return await says(f"{thought}\n```json\n{action}\n```", tokens=tokens)(asked)


class Models:
    """Six seats; the first question on the second hand's flop stays open until `go_on`."""

    def __init__(self) -> None:
        self.asked, self.go_on = asyncio.Event(), asyncio.Event()
        self.players = [
            Model(self, "Opus", "anthropic:claude-sonnet-4-6", ROW * 12),
            Model(self, "Mini", "openai:gpt-4.1-mini", "Odds are 3 to 1."),
            Model(self, "Shy", "openai-responses:gpt-4.1", "Nobody may read it.", is_shy=True),
            Model(self, "Broken", "openai:gpt-4o", "", fails=True),
            Model(self, "Hostile", "ollama:<b>bold</b>", HOSTILE),
            Model(self, "Apart", "ollama:deepseek-r1", "I think apart.", is_apart=True),
        ]


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
        for model in models.players:
            card = casino.add(model.name.lower(), model.agent())
            seated = await casino.seat(card, "models")
            assert seated.is_success, seated.text
        yield casino, models
        models.go_on.set()
        for model in models.players:
            await model.player.close()


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
        names = ["claude-sonnet-4-6", "gpt-4.1-mini", "gpt-4.1", "gpt-4o", "<b>bold</b>"]
        names.append("deepseek-r1")
        await expect(page.locator(".table .plate .model")).to_have_text(names)
        early = await told(page, casino)
        assert "in hand 1" in early
        assert not re.search("in hand 2", early, re.IGNORECASE)
        payloads = [event.payload or {} for event in await casino.events("models")]
        second = str([one for one in payloads if one.get("handNumber") == 2])
        assert "provider_away" in second
        assert not re.search("disclosed|usage|detail|reasoning", second)
        seats.go_on.set()
        await expect(page.locator(".room-head .pill")).to_have_text("idle")
        await expect(log).to_contain_text(COST)
        await expect(log.locator("q").first).to_have_text("HTTP 401: invalid x-api-key in hand 2")
        await expect(log).to_contain_text("gpt-4.1-mini: Odds are 3 to 1. In hand 2.")
        await expect(log).not_to_contain_text("Nobody may read it")
        await expect(results).to_contain_text(re.compile(r"100 hands: \$0\.\d+ · 428\.6K tokens"))
        await expect(results).to_contain_text("not decided by the player 5 (provider away 5)")
        await results.get_by_role("button", name="Broken").click()
        more = results.locator(".more:not([hidden])")
        await expect(more).to_contain_text("invalid x-api-key in hand 2")
        folded = log.locator("details", has_text="claude-sonnet").first
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
    await expect(heard).to_contain_text("begins")  # from now on keys lead through it
    for name in ("Hostile calls", "Apart calls", "Opus calls"):
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
