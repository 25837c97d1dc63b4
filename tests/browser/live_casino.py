"""A casino of processes behind the page, and a person who sits down in it by the controls."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Page, expect
from support.casino.casino import ProcessCasino, process_casino
from support.fault_proxy import FaultProxy
from support.processes import eventually, reserved_port

Json = dict[str, Any]

TOKEN = "open sesame"
ENDLESS: Json = {"maxHands": 1_000_000, "rebuy": "auto", "paceMs": 50}
PERSON = "Ada"
PATIENT: Json = {**ENDLESS, "actionTimeoutMs": 60_000, "resultMs": 200}
"""Rules of rooms in which a person plays."""


class Casino:
    """The processes, and a proxy to the lobby that a test can cut."""

    def __init__(
        self, live: ProcessCasino, proxy: FaultProxy, gateway_url: str, players: list[str]
    ) -> None:
        self.live, self.proxy, self.gateway_url = live, proxy, gateway_url
        self.players = players

    @asynccontextmanager
    async def room(self, room_id: str, seats: int = 6, **rules: Any) -> AsyncIterator[None]:
        """Open a room for bots on all but one of `seats`, or on six; it is closed in the end."""
        await self.live.open(room_id, maxSeats=seats, **rules)
        for player in self.players[: 6 if seats == 6 else seats - 1]:
            assert (await self.live.seat(player, room_id)).is_success
        yield
        await self.live.http.delete(f"/v1/rooms/{room_id}")

    async def decisions(self, room_id: str, least: int = 0) -> list[Json]:
        """Wait for as many decisions of the person; returns all of theirs."""
        made: list[Json] = []

        async def are_made() -> bool:
            events = [
                (one.event_type, one.payload or {}) for one in await self.live.events(room_id)
            ]
            ids = {
                payload["playerId"]
                for kind, payload in events
                if kind == "player_registered" and payload["displayName"] == PERSON
            }
            made[:] = [
                payload
                for kind, payload in events
                if kind == "action_taken" and payload["playerId"] in ids
            ]
            return len(made) >= least

        await eventually(are_made)
        return made


@asynccontextmanager
async def live_casino() -> AsyncIterator[Casino]:
    """Run lobby, gateway and six bots: three callers, then three that play tight."""
    async with AsyncExitStack() as stack:
        proxy, port = FaultProxy(0), reserved_port()
        await proxy.start()
        stack.push_async_callback(proxy.stop)
        running = process_casino(
            CASINO_LOBBY_OPERATOR_TOKEN=TOKEN,
            CASINO_LOBBY_GATEWAY_URL=f"http://127.0.0.1:{port}",
            CASINO_LOBBY_DRAIN_TIMEOUT="1s",
            CASINO_TABLE_DRAIN_TIMEOUT="1s",
        )
        live = await stack.enter_async_context(running)
        gateway = await live.start(
            "gateway",
            "casino_gateway",
            CASINO_GATEWAY_PORT=str(port),
            CASINO_GATEWAY_LOBBY_URL=live.lobby.url,
            CASINO_GATEWAY_OPERATOR_TOKEN=TOKEN,
            CASINO_GATEWAY_CORS_ORIGINS=live.lobby.url,
            CASINO_GATEWAY_DATA=stack.enter_context(TemporaryDirectory()),
        )
        stack.push_async_callback(gateway.kill)  # it would wait for seats that are being asked
        proxy.target = urlsplit(live.lobby.url).port or 0
        bots = await asyncio.gather(live.samples("caller", 3), live.samples("tight", 3))
        yield Casino(live, proxy, gateway.url, [card for cards in bots for card in cards])


async def until_asked(page: Page) -> None:
    """Wait until the person is to decide."""
    await expect(page.locator(".my-seat[data-asked]")).to_be_visible()


async def press(page: Page, key: str) -> None:
    """Answer the question with a key; returns when the gateway has the action."""
    bar, request = page.locator(".my-seat"), None
    while request is None:  # one that was asked before a seat came back may end meanwhile
        await until_asked(page)
        request = await bar.get_attribute("data-request")
    await page.keyboard.press(key)
    await expect(bar).not_to_have_attribute("data-request", request)


async def sit_down(page: Page, lobby: str, room_id: str) -> None:
    """Take the free seat by mouse."""
    await page.goto(f"{lobby}/#/rooms/{room_id}")
    free = page.get_by_role("button", name="Sit here")
    await expect(free).to_have_count(1)  # once the page has heard of all bots
    await free.click()
    dialog = page.get_by_role("dialog", name="Sit down")
    await dialog.get_by_label("Your name").fill(PERSON)
    await dialog.get_by_role("button", name="Sit down").click()
    await until_asked(page)
