"""The page at a real evaluator: scorecards and replays, by mouse, keyboard and screen reader."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect
from support.accessibility import serious_faults
from support.chromium import DESKTOP, PHONE, chromium, fits, page_at
from support.evaluator.arc_client import CHECK, KEY
from support.evaluator.live_evaluator import LiveEvaluator, live_evaluator

pytestmark = [
    pytest.mark.browser,
    pytest.mark.full,
    pytest.mark.timeout(240),
    pytest.mark.asyncio(loop_scope="module"),
]

REASONING = {"why": "<b>cheap</b>"}
STEP_MS = 500
"""How long a frame stays, of `web/replay_view.js`."""


class Played:
    """An evaluator on which one session was played."""

    def __init__(self, live: LiveEvaluator, browser: Browser) -> None:
        self.live, self.browser = live, browser
        self.card = self.guid = ""
        self.frames: list[Any] = []
        """All frames that the client got."""
        self.first = 0
        """How many of them answered the RESET."""

    async def play(self) -> None:
        """Win a game, with one action that is not available."""
        client = self.live.client()
        self.card = await client.open(tags=["agent", "<i>tag</i>"], seed="s")
        frame = await client.begin("kuhn", self.card)
        self.guid = frame["guid"]
        self.frames += frame["frame"]
        self.first = len(self.frames)
        numbers = [7, *[CHECK] * 40]
        for number in numbers:
            frame = await client.act(frame, number, reasoning=REASONING)
            self.frames += frame["frame"]
            if frame["state"] != "NOT_FINISHED":
                return


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def played() -> AsyncIterator[Played]:
    """Run a casino, an evaluator and a browser for the tests of this file."""
    async with live_evaluator(tables=2) as live, chromium() as browser:
        played = Played(live, browser)
        await played.play()
        yield played


async def signed_in(page: Page, url: str, hash_: str = "#/", key: str = KEY) -> None:
    """Open a view, and enter the key."""
    await page.goto(f"{url}/{hash_}")
    await page.get_by_label("API key").fill(key)
    await page.keyboard.press("Enter")


async def test_a_card_is_found_by_its_key_and_explained(played: Played) -> None:
    """In the list, then with its game, levels, runs and how its score comes about."""
    summary = await played.live.client().card(played.card)
    (game,) = summary["environments"]
    async with page_at(played.browser, played.live.url) as (page, _watch):
        sent: list[str] = []
        page.on("request", lambda request: sent.append(request.url))
        await signed_in(page, played.live.url)
        await page.get_by_role("link", name=played.card).click()
        await expect(page.locator("h1")).to_have_text(f"Scorecard {played.card}")
        await expect(page.locator("h1")).to_be_focused()
        article = page.locator("article")
        await expect(article).to_contain_text(f"{summary['score']:.1f} %")
        await expect(article).to_contain_text("<i>tag</i>")
        await expect(article).to_contain_text("bb/100 (95 %:")
        rows = page.get_by_role("table", name="Levels of the best run").locator("tbody tr")
        await expect(rows).to_have_count(game["level_count"])
        await expect(rows.first).to_contain_text(f"{game['runs'][0]['level_scores'][0]:.1f} %")
        await page.get_by_text("How the score is computed").click()
        await expect(article).to_contain_text("actions of the reference player ÷ own actions")
        await page.get_by_role("link", name="Replay of run 1").click()
        await expect(page.locator("h1")).to_have_text(f"Replay of {played.guid}")
        assert not [url for url in sent if KEY in url]
        await page.get_by_role("button", name="Forget the key").click()
        await expect(page.get_by_label("API key")).to_be_visible()


async def test_a_replay_shows_every_frame_that_the_client_got(played: Played) -> None:
    """Pixel by pixel, with command and reasoning; by keys, slider and buttons."""
    async with page_at(played.browser, played.live.url) as (page, _watch):
        await signed_in(page, played.live.url, f"#/replays/{played.guid}")
        count = len(played.frames)
        where = page.locator(".where")
        await expect(where).to_have_text(f"Frame 1 of {count}: command 1, 1 of its {played.first}")
        await expect(page.locator("h2")).to_have_text("RESET")
        seen = []
        for place in range(count):
            await expect(where).to_contain_text(f"Frame {place + 1} of {count}")
            seen.append(await page.evaluate(PIXELS))
            await page.keyboard.press("ArrowRight")
        assert seen == played.frames
        await expect(page.locator("#announcements")).to_contain_text(f"Frame {count} of {count}")
        await expect(page.locator("h2")).to_have_text(f"ACTION{CHECK}")
        await expect(page.locator(".reasoning")).to_contain_text('"why": "<b>cheap</b>"')
        await expect(page.locator(".beside")).to_contain_text("won, 3 levels completed")
        await page.get_by_label("Frame", exact=True).fill(str(played.first))
        await expect(page.locator("h2")).to_have_text("ACTION7")
        await page.get_by_role("button", name="First").click()
        await page.clock.install(time=0)
        await page.clock.pause_at(1)
        await page.get_by_role("button", name="Play", exact=True).click()
        await page.clock.run_for(STEP_MS * played.first)
        await expect(where).to_contain_text(f"Frame {played.first + 1} of")
        await page.get_by_role("button", name="Pause").click()
        await expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
        await page.clock.run_for(10 * STEP_MS)
        await expect(where).to_contain_text(f"Frame {played.first + 1} of")
        await page.get_by_role("button", name="Last").click()
        await expect(where).to_contain_text(f"Frame {count} of {count}")


PIXELS = """() => {
  const copy = new OffscreenCanvas(64, 64).getContext("2d", { willReadFrequently: true });
  copy.drawImage(document.querySelector("canvas"), 0, 0);
  const { data } = copy.getImageData(0, 0, 64, 64);
  const colors = [
    "255,255,255", "204,204,204", "153,153,153", "102,102,102", "51,51,51", "0,0,0",
    "229,58,163", "255,123,204", "249,60,49", "30,147,255", "136,216,241", "255,220,0",
    "255,133,27", "146,18,49", "79,204,48", "163,86,214",
  ];
  return Array.from({ length: 64 }, (_, row) => Array.from({ length: 64 }, (_, column) => {
    const at = (row * 64 + column) * 4;
    return colors.indexOf(data.slice(at, at + 3).join(","));
  }));
}"""
"""The colours of the canvas, read back from its pixels."""


async def test_a_wrong_key_is_asked_for_again(played: Played) -> None:
    """As is one that no header takes; an anonymous one has no card, and sees none of others."""
    async with page_at(played.browser, played.live.url) as (page, watch):
        watch.expect_refusals()
        await signed_in(page, played.live.url, key="no-such-key-of-anybody")
        await expect(page.get_by_role("alert")).to_contain_text("does not know this key")
        await page.get_by_label("API key").fill("ключ")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("alert")).to_contain_text("letters, digits")
        await page.get_by_role("button", name="Get an anonymous key").click()
        await expect(page.locator("main")).to_contain_text("This key has no scorecard yet.")
        await page.goto(f"{played.live.url}/#/cards/{played.card}")
        await expect(page.get_by_role("alert")).to_contain_text("not found")
        await page.goto(f"{played.live.url}/#/replays/{played.guid}")
        await expect(page.get_by_role("alert")).to_contain_text("not found")


async def test_every_view_is_accessible_and_fits(played: Played) -> None:
    """No serious fault by axe in either theme, nothing wider than a phone."""
    async with page_at(played.browser, played.live.url, PHONE) as (page, _watch):
        await page.goto(played.live.url)
        await expect(page.get_by_label("API key")).to_be_visible()
        assert await serious_faults(page) == []
        await signed_in(page, played.live.url)
        for view, shown in [
            ("#/", "table"),
            (f"#/cards/{played.card}", "article"),
            (f"#/replays/{played.guid}", "canvas"),
        ]:
            await page.goto(f"{played.live.url}/{view}")
            await expect(page.locator(shown).first).to_be_visible()
            assert await serious_faults(page) == [], view
            for size in (PHONE, DESKTOP):
                await page.set_viewport_size(size)
                assert await fits(page), view
