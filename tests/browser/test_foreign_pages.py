"""Pages of other origins in a real browser, at a casino on loopback.

The attacker's names resolve to loopback, as after rebinding. Every attack is made twice: behind
the guard it fails, without the guard it succeeds.
"""

import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import pytest_asyncio
from casino_agentkit import BrowserGuard, Service
from casino_player_example.app import build_app as build_player
from casino_player_example.settings import PlayerSettings
from casino_table.app import build_app as build_table
from casino_table.settings import TableSettings
from playwright.async_api import Browser, Page
from playwright.async_api import Error as PlaywrightError
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send
from support.attack.browser_attacks import typed_call
from support.casino.casino_side import CasinoHarness
from support.processes import eventually
from support.served import serving
from support.table.table_side import CONFIG

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

EVIL = "evil.example"
INVITATION = {
    "casinoName": "evil", "tableId": "evil", "roomId": "evil",
    "minBuyIn": 40, "maxBuyIn": 400, "smallBlind": 1, "bigBlind": 2,
}  # fmt: skip
CARD = "/.well-known/agent-card.json"
PAGES = {"lobby": "/v1/rooms", "table": CARD, "player": CARD}
CALLS = {"table": typed_call("tableSummary", {}), "player": typed_call("signup", INVITATION)}

FORGED = """async ([url, body, how]) => {
    const types = { urlencoded: "application/x-www-form-urlencoded", text: "text/plain" };
    const options = { method: "POST", mode: "no-cors" };
    if (how === "beacon") {
        navigator.sendBeacon(url, new Blob([body], { type: types.urlencoded }));
    } else if (how === "untyped") {
        await fetch(url, { ...options, body: new Blob([body]) });
    } else if (how === "hidden") {
        const headers = { "content-type": types.urlencoded };
        await fetch(url, { ...options, body, headers, referrerPolicy: "no-referrer" });
    } else {
        await fetch(url, { ...options, body, headers: { "content-type": types[how] } });
    }
}"""
READ = """async (path) => {
    const reply = await fetch(path);
    return [reply.ok, await reply.text()];
}"""
COMMAND = """async ([path, body, headers]) => {
    const reply = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
    return [reply.ok, await reply.text()];
}"""
JSON = {"content-type": "application/json"}
A2A = {**JSON, "a2a-version": "1.0"}

Wrap = Callable[[ASGIApp], ASGIApp]


class Counted:
    """An application whose answered POST requests are counted."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.answered = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        await self._app(scope, receive, send)
        self.answered += scope["type"] == "http" and scope["method"] == "POST"


class Casino:
    """A lobby with many tables, a table and a player, each on a port of loopback."""

    def __init__(self, network: CasinoHarness, counted: Counted, urls: dict[str, str]) -> None:
        self.urls = urls
        self.lobby = counted
        self._network = network
        self._rooms = 0

    def room(self) -> dict[str, Any]:
        """Return the body that opens a room on the next table."""
        self._rooms += 1
        card = self._network.table_card(self._rooms)
        return {"roomId": f"evil{self._rooms}", "tableAgentCardUrl": card, "config": CONFIG}

    async def has(self, room: dict[str, Any]) -> bool:
        async with httpx.AsyncClient(base_url=self.urls["lobby"]) as http:
            return (await http.get(f"/v1/rooms/{room['roomId']}")).status_code == 200

    async def calls(self, service: str) -> float:
        """Return how many typed calls an agent has answered."""
        async with httpx.AsyncClient(base_url=self.urls[service]) as http:
            lines = (await http.get("/metrics")).text.splitlines()
        return sum(
            float(line.rpartition(" ")[2]) for line in lines if line.startswith("agent_calls_total")
        )


@contextmanager
def casino_behind(wrap: Wrap) -> Iterator[Casino]:
    network = CasinoHarness(40, launch_tables=False)
    table = build_table(TableSettings(), "http://table")
    player = build_player(PlayerSettings(), "http://player")
    for service in (network.lobby, table, player):
        service.guarded = wrap
    with ExitStack() as stack:
        counted = Counted(network.lobby.asgi())
        urls = {
            "lobby": stack.enter_context(serving(counted, network.tables, network.lobby)),
            "table": stack.enter_context(serving(table.asgi(), table)),
            "player": stack.enter_context(serving(player.asgi(), player)),
        }
        yield Casino(network, counted, urls)


@pytest.fixture(scope="module")
def guarded() -> Iterator[Casino]:
    with casino_behind(lambda app: BrowserGuard(app, ["127.0.0.1"])) as casino:
        yield casino


@pytest.fixture(scope="module")
def unguarded() -> Iterator[Casino]:
    """Serve a casino without it."""
    with casino_behind(lambda app: app) as casino:
        yield casino


@pytest_asyncio.fixture(loop_scope="session")
async def page(browser: Browser) -> AsyncIterator[Page]:
    """Open a tab that nobody watches."""
    page = await browser.contexts[0].new_page()
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


HOSTS = [f"page.{EVIL}", "127.0.0.1", "localhost"]
WAYS = [(HOSTS[0], how) for how in ("urlencoded", "untyped", "beacon", "hidden")]
WAYS += [(host, "urlencoded") for host in HOSTS[1:]]


async def forge(page: Page, casino: Casino, origin: str, how: str) -> bool:
    """Let a page of an origin open a room; returns whether it exists."""
    await page.goto(f"{origin}/evil.html")
    room, before = casino.room(), casino.lobby.answered

    async def is_answered() -> bool:
        return casino.lobby.answered > before

    await page.evaluate(FORGED, [f"{casino.urls['lobby']}/v1/rooms", json.dumps(room), how])
    await eventually(is_answered)  # the page cannot read the reply
    return await casino.has(room)


@pytest.mark.parametrize(("host", "how"), WAYS)
async def test_the_guard_refuses_a_foreign_page(
    page: Page, guarded: Casino, unguarded: Casino, evil: int, host: str, how: str
) -> None:
    """The same request opens a room without the guard, so the guard is what refuses it."""
    assert not await forge(page, guarded, f"http://{host}:{evil}", how)
    assert await forge(page, unguarded, f"http://{host}:{evil}", how)


@pytest.mark.parametrize("service", ["table", "player"])
async def test_agents_ignore_a_foreign_page(
    page: Page, guarded: Casino, unguarded: Casino, evil: int, service: str
) -> None:
    """The protocol's header cannot be sent by a page, with or without the guard."""
    await page.goto(f"http://{HOSTS[0]}:{evil}/evil.html")
    body = json.dumps(CALLS[service])
    for casino in (guarded, unguarded):
        before = await casino.calls(service)
        for how in ("text", "urlencoded", "untyped", "beacon"):
            await page.evaluate(FORGED, [f"{casino.urls[service]}/a2a/jsonrpc", body, how])
        with pytest.raises(PlaywrightError, match="Failed to fetch"):
            await page.evaluate(
                COMMAND, [f"{casino.urls[service]}/a2a/jsonrpc", CALLS[service], A2A]
            )
        assert await casino.calls(service) == before


@pytest.mark.parametrize("service", ["lobby", "table", "player"])
async def test_the_guard_refuses_a_rebound_name(
    page: Page, guarded: Casino, unguarded: Casino, service: str
) -> None:
    """A page whose name resolves to the casino reads and commands only without the guard."""
    assert await rebind(page, guarded, service) == [False, False]
    assert await rebind(page, unguarded, service) == [True, True]


async def rebind(page: Page, casino: Casino, service: str) -> list[bool]:
    """Let a page at a rebound name read, and command; returns which succeeded."""
    port = urlsplit(casino.urls[service]).port
    await page.goto(f"http://rebound.{EVIL}:{port}{PAGES[service]}")
    reads, content = await page.evaluate(READ, PAGES[service])
    assert reads == ("Misdirected" not in content)
    room = casino.room()
    if service == "lobby":
        obeys, _ = await page.evaluate(COMMAND, ["/v1/rooms", room, JSON])
        assert await casino.has(room) == obeys
    else:
        before = await casino.calls(service)
        obeys, _ = await page.evaluate(COMMAND, ["/a2a/jsonrpc", CALLS[service], A2A])
        assert (await casino.calls(service) > before) == obeys
    return [reads, obeys]


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
async def test_the_casinos_own_page_may_command(page: Page, guarded: Casino, name: str) -> None:
    """By either name of this machine."""
    port = urlsplit(guarded.urls["lobby"]).port
    await page.goto(f"http://{name}:{port}/")
    room = guarded.room()
    assert (await page.evaluate(COMMAND, ["v1/rooms", room, JSON]))[0]
    assert await guarded.has(room)
