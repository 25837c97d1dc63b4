"""Pages of other origins in a real browser, at a lobby on loopback.

The attacker's names resolve to loopback, as after rebinding. Every attack is made twice: behind
the guard it fails, without the guard it succeeds. `tests/security/test_browsers.py` makes all
attacks on all services, with the headers that browsers send.
"""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import pytest_asyncio
from casino_agentkit import BrowserGuard, Service
from playwright.async_api import Browser, Page
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send
from support.casino.casino_side import CasinoHarness
from support.processes import eventually
from support.served import serving
from support.table.table_side import CONFIG

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

EVIL = "evil.example"
FORGED = """async ([url, body, type]) => {
    const options = { method: "POST", mode: "no-cors" };
    await fetch(url, { ...options, body: new Blob([body], { type }) });
}"""
READ = """async (path) => {
    const reply = await fetch(path);
    return [reply.ok, await reply.text()];
}"""
COMMAND = """async ([path, body]) => {
    const headers = { "content-type": "application/json" };
    const reply = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
    return reply.ok;
}"""


class Lobby:
    """A lobby with tables on a port of loopback, behind a guard or not."""

    def __init__(self, stack: ExitStack, *, is_guarded: bool) -> None:
        self._network = CasinoHarness(5, launch_tables=False)
        self._network.lobby.guarded = (
            (lambda app: BrowserGuard(app, ["127.0.0.1"])) if is_guarded else (lambda app: app)
        )
        self._app = self._network.lobby.asgi()
        self._rooms = 0
        self.answered = 0
        """How many POST requests it has answered."""
        self.url = stack.enter_context(serving(self, self._network.tables, self._network.lobby))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        await self._app(scope, receive, send)
        self.answered += scope["type"] == "http" and scope["method"] == "POST"

    def room(self) -> dict[str, Any]:
        """Return the body that opens a room on the next table."""
        self._rooms += 1
        card = self._network.table_card(self._rooms)
        return {"roomId": f"evil{self._rooms}", "tableAgentCardUrl": card, "config": CONFIG}

    async def has(self, room: dict[str, Any]) -> bool:
        async with httpx.AsyncClient(base_url=self.url) as http:
            return (await http.get(f"/v1/rooms/{room['roomId']}")).status_code == 200


@pytest.fixture(scope="module")
def lobbies() -> Iterator[tuple[Lobby, Lobby]]:
    """Serve a lobby behind the guard, and one without."""
    with ExitStack() as stack:
        yield Lobby(stack, is_guarded=True), Lobby(stack, is_guarded=False)


@pytest_asyncio.fixture(loop_scope="session")
async def page(browser: Browser) -> AsyncIterator[Page]:
    """Open a tab that nobody watches."""
    page = await browser.new_page()
    yield page
    await page.close()


@pytest.fixture(scope="module")
def evil() -> Iterator[int]:
    """Serve a page of another origin; gives its port."""

    async def page(_request: Request) -> Response:
        return HTMLResponse("<!doctype html><title>evil</title>")

    service = Service({}, routes=[Route("/evil.html", page)])
    with serving(service.asgi(), service) as url:
        yield urlsplit(url).port or 0


async def forge(page: Page, lobby: Lobby, origin: str, media_type: str) -> bool:
    """Let a page of an origin open a room; returns whether it exists."""
    await page.goto(f"{origin}/evil.html")
    room, before = lobby.room(), lobby.answered

    async def is_answered() -> bool:
        return lobby.answered > before

    await page.evaluate(FORGED, [f"{lobby.url}/v1/rooms", json.dumps(room), media_type])
    await eventually(is_answered)  # the page cannot read the reply
    return await lobby.has(room)


@pytest.mark.parametrize(
    ("host", "media_type"),
    [
        (f"page.{EVIL}", "application/x-www-form-urlencoded"),
        (f"page.{EVIL}", ""),
        ("127.0.0.1", "application/x-www-form-urlencoded"),
    ],
)
async def test_the_guard_refuses_a_foreign_page(
    page: Page, lobbies: tuple[Lobby, Lobby], evil: int, host: str, media_type: str
) -> None:
    guarded, unguarded = lobbies
    assert not await forge(page, guarded, f"http://{host}:{evil}", media_type)
    assert await forge(page, unguarded, f"http://{host}:{evil}", media_type)


async def test_the_guard_refuses_a_rebound_name(page: Page, lobbies: tuple[Lobby, Lobby]) -> None:
    """A page whose name resolves to the lobby reads and commands only without the guard."""
    for lobby, succeeds in zip(lobbies, (False, True), strict=True):
        await page.goto(f"http://rebound.{EVIL}:{urlsplit(lobby.url).port}/v1/rooms")
        reads, content = await page.evaluate(READ, "/v1/rooms")
        assert (reads, "Misdirected" in content) == (succeeds, not succeeds)
        room = lobby.room()
        assert await page.evaluate(COMMAND, ["/v1/rooms", room]) == succeeds
        assert await lobby.has(room) == succeeds
