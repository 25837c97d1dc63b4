"""A hand again: its keys and controls, its addresses, and `casino replay FILE`."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from casino_histories.open_hand_history import ohh_text
from playwright.async_api import Browser, Page, expect
from support.accessibility import serious_faults
from support.casino.members import ENVIRONMENT
from support.casino.page_harness import BLOG, ORIGIN, PageHarness, rooms, snapshot
from support.chromium import page_at
from support.histories.random_hands import random_hand
from support.players.recorded import completed, hand, players_of, recorded, room
from support.processes import PATIENCE_S

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

BASE = "/casino"
ENDED_BY_CTRL_C = 130
# A closed dialog keeps the focus until the browser's next frame, so a quick key still goes there.
CLOSE_AND_PRESS_ESCAPE = """() => {
  document.querySelector("dialog[open]").close();
  const key = new KeyboardEvent("keydown", { key: "Escape", bubbles: true });
  document.activeElement.dispatchEvent(key);
}"""
HANDS = [random_hand(number) for number in range(3)]


def serve(harness: PageHarness) -> list[dict[str, Any]]:
    """Serve a room with eight hands; returns its events."""
    events = recorded()
    begin = room(events, players_of(events))
    harness.stream("/v1/rooms/main/stream", snapshot(begin, events[-1]["sequence"]))
    harness.stream("/v1/stream", rooms())
    harness.answers["/v1/rooms/main/hands"] = {"hands": completed(events)}
    for number in range(1, 9):
        harness.answers[f"/v1/rooms/main/hands/{number}"] = {"events": hand(events, number)}
    return events


async def test_open_cards_keys_and_neighbours(page: Page, harness: PageHarness) -> None:
    """Cards that are shown at the end lie open from the start, unless they are hidden."""
    shown = next(
        event["payload"]["shown"]
        for event in serve(harness)
        if event["eventType"] == "hand_completed" and event["payload"]["handNumber"] == 4
    )
    await page.goto(f"{ORIGIN}/#/rooms/main/hands/4/0")
    cards = page.locator(".table .hole .card:not(.back)")
    await expect(cards).to_have_count(2 * len(shown))
    await page.keyboard.press("o")
    await expect(cards).to_have_count(0)
    await page.get_by_role("button", name="Open cards").click()
    await expect(cards).to_have_count(2 * len(shown))
    for key, expected in (("ArrowUp", 5), ("ArrowDown", 4)):
        await page.keyboard.press(key)
        await expect(page.locator(".step-told")).to_contain_text(f"hand {expected} begins")
        assert f"/hands/{expected}" in page.url
    await page.keyboard.press("?")
    await expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    assert await serious_faults(page) == []
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await expect(page.locator(".room")).to_have_attribute("data-mode", "replay")
    await page.keyboard.press("?")
    await page.evaluate(CLOSE_AND_PRESS_ESCAPE)
    await expect(page.locator(".room")).to_have_attribute("data-mode", "live")
    assert page.url.endswith("/rooms/main")
    assert "#" not in page.url


async def test_links_are_paths_below_wherever_the_lobby_is(
    page: Page, harness: PageHarness
) -> None:
    """The page is loaded once; back and forth work, and so do older links."""
    harness.base = BASE
    serve(harness)
    loads: list[str] = []
    page.on("load", lambda loaded: loads.append(loaded.url))
    mode, heard = page.locator(".room"), page.locator(".step-told")
    await page.goto(f"{ORIGIN}{BASE}/#/rooms/main/hands/2/1")
    await expect(mode).to_have_attribute("data-mode", "replay")
    await expect(page).to_have_url(f"{ORIGIN}{BASE}/rooms/main/hands/2/1")
    await expect(heard).to_contain_text("2 / ")
    await page.keyboard.press("ArrowRight")
    await expect(page).to_have_url(f"{ORIGIN}{BASE}/rooms/main/hands/2/2")
    await page.get_by_role("link", name="#3").click()
    await expect(heard).to_contain_text("hand 3 begins")
    await page.get_by_role("link", name="Back to live").click()
    await expect(mode).to_have_attribute("data-mode", "live")
    await expect(page).to_have_url(f"{ORIGIN}{BASE}/rooms/main")
    await page.go_back()
    await expect(mode).to_have_attribute("data-mode", "replay")
    await page.get_by_role("link", name="A2A Casino").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text(
        "Software agents at the poker table"
    )
    await expect(page).to_have_url(f"{ORIGIN}{BASE}/")
    assert len(loads) == 1
    await page.goto(f"{ORIGIN}{BASE}/rooms/main/hands/1/1")
    await expect(heard).to_contain_text("2 / ")
    await page.reload()
    await expect(heard).to_contain_text("2 / ")


async def test_a_frame_shows_the_table_and_no_commands(page: Page, harness: PageHarness) -> None:
    """Of a listed origin alone; its links lead out of it, or to another hand."""
    harness.watch.allow(BLOG)
    harness.embedder = BLOG
    harness.blog = "".join(
        f'<iframe src="{ORIGIN}/{path}" width="900" height="700"></iframe>'
        for path in ("embed/rooms/main", "rooms/main")
    )
    serve(harness)
    await page.goto(f"{BLOG}/")
    inside, refused = (page.frame_locator("iframe").nth(place) for place in (0, 1))
    await expect(inside.locator(".seat:not(.empty)")).to_have_count(5)
    await expect(refused.locator(".seat")).to_have_count(0)
    for hidden in (".top", ".crumb", ".operate", ".faults-box"):
        await expect(inside.locator(hidden).first).to_be_hidden()
    await inside.get_by_role("link", name="#2").click()
    await expect(inside.locator(".step-told")).to_contain_text("hand 2 begins")
    outside = inside.get_by_role("link", name="Open in the casino")
    await expect(outside).to_have_attribute("href", f"{ORIGIN}/rooms/main/hands/2")
    (fault,) = harness.watch.faults
    assert "frame-ancestors 'none'" in fault  # of the other frame
    harness.watch.faults.clear()


@pytest_asyncio.fixture(loop_scope="session")
async def link(tmp_path: Path) -> AsyncIterator[str]:
    """Start the command on a file, and return the link that it prints; end it by Ctrl-C."""
    file = tmp_path / "some hands.ohh"
    file.write_text("\n".join(map(ohh_text, HANDS)))
    command = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "casino", "replay", str(file)),
        env=ENVIRONMENT,
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    assert command.stdout is not None
    try:
        assert (await command.stdout.readline()).decode() == f"3 hands of {file}\n"
        yield (await command.stdout.readline()).decode().split()[-1]
        command.send_signal(signal.SIGINT)
        assert await asyncio.wait_for(command.wait(), PATIENCE_S) == ENDED_BY_CTRL_C
    finally:
        if command.returncode is None:
            command.kill()  # its lobby ends with it
            await command.wait()


async def test_the_hands_of_a_file_are_replayed(browser: Browser, link: str) -> None:
    """With everybody's cards from the first step, to the result, and then the next hand."""
    origin = f"http://{urlsplit(link).netloc}"
    assert link == f"{origin}/rooms/some%20hands/hands/1"
    async with page_at(browser, origin) as (page, _):
        await page.goto(link)
        for number, hand_ in enumerate(HANDS[:2], 1):
            await expect(page.locator(".step-told")).to_contain_text("begins")
            cards = page.locator(".table .hole .card:not(.back)")
            await expect(cards).to_have_count(2 * len(hand_.seats))
            await page.keyboard.press("End")
            await expect(page.locator(".step-told")).to_contain_text(f"hand {number}: Player")
            await page.keyboard.press("ArrowUp")
        await expect(page.locator(".results tbody tr:not(.more)")).to_have_count(
            len({seat.player_id for hand_ in HANDS for seat in hand_.seats})
        )
