"""Hands whose deal the page checks: those of a real room, and of tables that cheat."""

import json
from pathlib import Path
from typing import Any

import pytest
from browser.live_casino import Casino
from playwright.async_api import Browser, Page, ViewportSize, expect
from support.accessibility import serious_faults
from support.casino.page_harness import ORIGIN, PageHarness, frames, snapshot
from support.chromium import DESKTOP, page_at, settled
from support.layout_probe import layout_faults
from support.players.recorded import room
from support.table.table_side import CONFIG

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

Json = dict[str, Any]

HANDS = 12
RULES: Json = {name: value for name, value in CONFIG.items() if name != "seed"}
FAIR: Json = {**RULES, "maxSeats": 3, "maxHands": HANDS, "dealBlock": 5, "rebuy": "auto"}
PROOF = json.loads((Path(__file__).parents[1] / "web" / "fair_proofs.json").read_text())[0]
ROOM = "/v1/rooms/main"
NARROW: ViewportSize = {"width": 390, "height": 844}


async def test_every_hand_of_a_real_room_has_a_tick(browser: Browser, casino: Casino) -> None:
    """While it is played, and after another load of the page, where the lobby has the proofs."""
    live = casino.live
    await live.open_room({"roomId": "checked", "config": FAIR})
    async with page_at(browser, live.lobby.url) as (page, watch):
        watch.allow(casino.gateway_url)
        await page.add_init_script("localStorage.setItem('pace', 'live')")
        await page.goto(f"{live.lobby.url}/rooms/checked")
        await expect(page.locator("#connection")).to_have_text("Live")
        for player in casino.players[:3]:
            assert (await live.seat(player, "checked")).is_success
        ticks = page.locator(".hands").get_by_role("img", name="deal checked")
        await expect(ticks).to_have_count(HANDS)
        await page.get_by_role("link", name="#6").click()
        await expect(page.get_by_role("heading", name="Hand 6 deal checked")).to_be_visible()

        await page.goto(f"{live.lobby.url}/rooms/checked")
        await expect(page.locator(".hands .number")).to_have_count(HANDS)
        await page.get_by_role("button", name="Fair deal").click()
        dialog = page.get_by_role("dialog", name="How the cards are dealt")
        # The snapshot holds the newest hands only; the page may check the last of them just now.
        rest = dialog.locator("button", has_text="Check all listed hands")
        await rest.evaluate("button => button.hidden || button.click()")
        await expect(dialog.get_by_role("status")).to_contain_text(f"{HANDS} hands checked here")
        await expect(dialog).to_contain_text("the lobby")
        await expect(dialog).to_contain_text("Block checked/1/")
        address = await dialog.get_by_role("link", name="The proof of hand").get_attribute("href")
        assert address is not None
        assert (await live.http.get(address)).json()["handNumber"] == HANDS
        await without_faults(page)
        await dialog.get_by_role("button", name="Close").click()
        await expect(ticks).to_have_count(HANDS)
        await without_faults(page)


async def without_faults(page: Page) -> None:
    """Look at layout and accessibility, on a phone too."""
    for size in (NARROW, DESKTOP):
        await page.set_viewport_size(size)
        await settled(page)
        assert await layout_faults(page) == []
    assert await serious_faults(page) == []


def serve(harness: PageHarness, proof: Json, **more: Any) -> None:
    """Serve a room with a hand that was completed before, and what it is checked by."""
    events = [
        {**event, "epoch": 1, "sequence": number} for number, event in enumerate(proof["events"], 1)
    ]
    players = [
        {**player, "displayName": player["playerId"], "stack": 100}
        for player in proof["events"][0]["payload"]["players"]
    ]
    found = room([], players) | more
    completed = {**proof["events"][-1]["payload"], "epoch": 1, "message": "hand 201: it is over"}
    completed |= {"pots": [], "stacks": []}
    harness.answers |= {
        ROOM: found,
        f"{ROOM}/hands": {"hands": [completed]},
        f"{ROOM}/hands/201": {"events": events},
        f"{ROOM}/hands/201/proof": {**proof, "events": events},
    }
    harness.stream(f"{ROOM}/stream", snapshot(found))


async def test_a_cheat_has_a_cross_and_a_sentence(page: Page, harness: PageHarness) -> None:
    mark: Json = {"block": "main/1/3", "contributors": ["lobby", "ada"]}
    mark["missing"] = [{"playerId": "bob", "reason": "wrong"}]
    proof = json.loads(json.dumps(PROOF))
    proof["events"][-1]["payload"]["shown"][0]["cards"][0]["rank"] = "2"
    serve(harness, proof, fair=mark)
    await page.goto(f"{ORIGIN}/rooms/main/hands/201")
    sentence = "the hand of bob is not what the table had committed to"
    await expect(page.get_by_role("heading", name=f"deal fails {sentence}")).to_be_visible()
    line = page.get_by_role("link", name="#201")
    await expect(line).to_contain_text(sentence)
    await expect(line.get_by_role("img", name="deal fails")).to_be_visible()
    await page.get_by_role("button", name="Hand 201 fails").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_role("status")).to_have_text(f"Hand 201 fails: {sentence}.")
    await expect(dialog).to_contain_text("the lobby and ada contributed. Left out: bob (sent")
    await without_faults(page)


async def test_the_open_explanation_counts_a_hand_that_is_checked_meanwhile(
    page: Page, harness: PageHarness
) -> None:
    serve(harness, PROOF, fair={"block": "main/1/3", "contributors": ["lobby"]})
    await page.goto(f"{ORIGIN}/rooms/main")
    await page.get_by_role("button", name="Fair deal: 0").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_role("status")).not_to_contain_text("1 hand")
    more = [{**event, "epoch": 1, "sequence": at} for at, event in enumerate(PROOF["events"], 1)]
    await harness.streams[f"{ROOM}/stream"].push(frames(more))
    await expect(dialog.get_by_role("status")).to_contain_text("1 hand checked here")
    await expect(dialog.get_by_role("button", name="Check all listed hands")).to_be_hidden()


async def test_a_room_that_nobody_can_check_says_so(page: Page, harness: PageHarness) -> None:
    """It loads nothing that checks hands, and asks for no proof."""
    for more, label, words in [
        ({}, "Deal without proof", "nobody can check its cards"),
        ({"seeded": True}, "Seeded deal", "Whoever knows the seed knows the cards"),
    ]:
        serve(harness, PROOF, **more)
        await page.goto(f"{ORIGIN}/rooms/main/hands/201")
        await page.reload()
        await page.get_by_role("button", name=label).click()
        await expect(page.get_by_role("dialog")).to_contain_text(words)
        await expect(page.locator(".checked")).to_have_count(0)
    assert not [target for _, target, _ in harness.asked if "/proof" in target]
