"""One Hold'em table: native, A2G in Node, Boardgame by bash and by push, stock SDK, a person."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from foreign.gateway_rooms import decisions, open_room, record, seat, start_with
from playwright.async_api import Page
from support.chromium import chromium, page_at
from support.gateway.live_gateway import LiveGateway, live_gateway
from support.players.foreign import (
    Json,
    a2g_client,
    bash_bot,
    boardgame_client,
    some_are_prepared,
)
from support.processes import eventually
from support.requirements import hands

pytestmark = [
    pytest.mark.browser,
    pytest.mark.foreign,
    pytest.mark.full,
    pytest.mark.asyncio(loop_scope="module"),
]

HANDS = hands(30, 100)
GAME = "texas-holdem"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live() -> AsyncIterator[LiveGateway]:
    """Run a lobby, a gateway and a table."""
    some_are_prepared()
    async with live_gateway() as live:
        await live.casino.host_tables(1)
        yield live


async def everybody(live: LiveGateway, directory: Path, free_seats: int = 0) -> dict[str, Json]:
    """Play the room "all" with each kind of player; returns what the clients have counted.

    It starts when the `free_seats` are taken too, by others.
    """
    casino = live.casino
    native = (await casino.sample("tight", name="Native")).cards[0]
    stock = (await casino.start("stock", "support.players.stock_player")).cards[0]
    seats = 5 + free_seats
    await open_room(casino, "all", GAME, maxHands=HANDS, maxSeats=seats)
    await seat(casino, "all", native, stock)
    clients = {
        "A2G": a2g_client(live.url, "A2G", "all", dump=directory / "a2g", rounds=HANDS),
        "Push": boardgame_client(live.url, "Push", "all", GAME, dump=directory / "push"),
        "Bash": bash_bot(live.url, "Bash", "all", GAME, directory / "bash"),
    }
    async with asyncio.TaskGroup() as group:
        counting = {name: group.create_task(one.run()) for name, one in clients.items()}
        group.create_task(start_with(casino, "all", seats))
    return {name: one.result() for name, one in counting.items()}


async def sit_down(page: Page, live: LiveGateway) -> None:
    """Take the free seat by mouse, once the others have theirs."""
    await page.goto(f"{live.casino.lobby.url}/#/rooms/all")
    await page.get_by_role("button", name="Sit here").first.click()
    dialog = page.get_by_role("dialog", name="Sit down")
    await dialog.get_by_label("Your name").fill("Person")
    await dialog.get_by_role("button", name="Sit down").click()


async def play_by_keys(page: Page) -> None:
    """Check or call whenever the page asks."""
    answered = ""
    while True:
        asked = f'.my-seat[data-asked]:not([data-request="{answered}"])'
        bar = await page.wait_for_selector(asked)
        assert bar is not None
        answered = await bar.get_attribute("data-request") or ""
        await page.keyboard.press("c")


async def test_everybody_plays_at_one_table(live: LiveGateway, tmp_path: Path) -> None:
    """Each decision is its player's own, and chips are conserved."""
    async with (
        chromium() as browser,
        page_at(browser, live.casino.lobby.url) as (page, watch),
        asyncio.TaskGroup() as group,
    ):
        watch.allow(live.url)
        page.set_default_timeout(60_000)
        others = group.create_task(everybody(live, tmp_path, free_seats=1))
        await others_have_seats(live, 5)
        await sit_down(page, live)
        person = group.create_task(play_by_keys(page))
        counted = await others
        events = await record(live.casino, "all", HANDS)
        person.cancel()
    assert (counted["A2G"]["gameErrors"], counted["A2G"]["violations"]) == ({}, []), counted
    assert (counted["Push"]["refused"], counted["Push"]["violations"]) == ({}, []), counted
    assert (counted["Bash"]["refused"], counted["Bash"]["errors"]) == (0, 0), counted
    assert decisions(events).keys() == {"Native", "Stock", "A2G", "Push", "Bash", "Person"}


async def others_have_seats(live: LiveGateway, count: int) -> None:
    """Wait until so many have sat down: each takes the first free seat, as the person does."""

    async def seated() -> bool:
        reply = await live.casino.http.get("/v1/rooms/all")
        return reply.is_success and len(reply.json()["summary"]["players"]) >= count

    await eventually(seated)
