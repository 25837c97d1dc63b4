"""The page in a browser, with prepared answers of a lobby and without a socket."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx
from casino_lobby.page import page_routes
from playwright.async_api import Browser, Page, Route
from starlette.applications import Starlette

from support.chromium import DESKTOP, Watch, page_at

ORIGIN = "http://casino.test"

Event = dict[str, Any]


class PageHarness:
    """Answers of a lobby by path, without the query; other paths are a 404."""

    def __init__(self, gateway_url: str | None = None, base: str = "", embedder: str = "") -> None:
        self.base = base
        """The path below which a proxy serves the lobby."""
        self.answers: dict[str, Any] = {}
        self.problems: dict[str, Any] = {}
        """What commands are refused with, by path."""
        self.holds: dict[str, asyncio.Event] = {}
        """What an answer waits for, by path."""
        self.bodies: list[str] = []
        """What was sent with commands."""
        self.streams: dict[str, list[str]] = {}
        self.asked: list[tuple[str, str, dict[str, str]]] = []
        """Method, path with query, and headers of every request to the lobby."""
        routes = page_routes(gateway_url, embedders=[embedder] if embedder else [])
        transport = httpx.ASGITransport(Starlette(routes=routes))
        headers = {"accept-encoding": "identity"}  # Playwright passes a body on as it is
        self._files = httpx.AsyncClient(transport=transport, base_url=ORIGIN, headers=headers)

    async def close(self) -> None:
        """Close the client of the page's files."""
        await self._files.aclose()

    def stream(self, path: str, *frames: str) -> None:
        """Send each connection to a stream the next of these frames, then close it."""
        self.streams[path] = list(frames)

    async def answer(self, route: Route) -> None:
        """Answer one request of the browser."""
        request, url = route.request, urlsplit(route.request.url)
        url = url._replace(path=url.path.removeprefix(self.base))
        if not url.path.startswith(("/v1/", "/api/")):
            reply = await self._files.get(url.path)
            await route.fulfill(
                status=reply.status_code, headers=dict(reply.headers), body=reply.content
            )
            return
        target = url.path + (f"?{url.query}" if url.query else "")
        self.asked.append((request.method, target, await request.all_headers()))
        if request.method != "GET":
            self.bodies.append(request.post_data or "")
        if request.method != "GET" and url.path in self.problems:
            problem = self.problems[url.path]
            await route.fulfill(status=problem["status"], json=problem)
        elif url.path in self.streams:
            frames = self.streams[url.path]
            if not frames:
                return  # hangs, as a quiet stream does
            await route.fulfill(body=frames.pop(0), content_type="text/event-stream")
        elif url.path in self.answers:
            if url.path in self.holds:
                await self.holds[url.path].wait()
            await route.fulfill(json=self.answers[url.path])
        else:
            problem = {"title": "There is nothing at this address", "status": 404, "detail": "No."}
            await route.fulfill(status=404, json=problem)


@asynccontextmanager
async def page_harness(
    browser: Browser,
    size: tuple[int, int] = DESKTOP,
    *,
    gateway_url: str | None = None,
    base: str = "",
    embedder: str = "",
    **context: Any,
) -> AsyncIterator[tuple[Page, PageHarness, Watch]]:
    """Open the page with its harness."""
    harness = PageHarness(gateway_url, base, embedder)
    async with page_at(browser, ORIGIN, size, **context) as (page, watch):
        watch.expect_refusals()
        await page.route("**/*", harness.answer)
        yield page, harness, watch
        await page.unroute_all(behavior="ignoreErrors")
    await harness.close()


def frame(name: str, data: Any, cursor: int | None = None) -> str:
    """Return one server-sent event."""
    line = "" if cursor is None else f"id: {cursor}\n"
    return f"event: {name}\n{line}data: {json.dumps(data)}\n\n"


def frames(events: Sequence[Event], room_id: str = "main") -> str:
    """Return table events as a stream sends them; an event's sequence is its cursor."""
    return "".join(
        frame(
            "table_event",
            {"cursor": event["sequence"], "roomId": room_id, "event": event},
            event["sequence"],
        )
        for event in events
    )


def room(
    events: Sequence[Event], players: Sequence[Event], game: str = "texas-holdem", **config: Any
) -> dict[str, Any]:
    """Return a room's snapshot with these newest events."""
    rules = {"startingStack": 200, "smallBlind": 1, "bigBlind": 2, "minBuyIn": 40, "maxBuyIn": 400}
    return {
        "roomId": "main",
        "tableId": "main",
        "gameType": game,
        "tableAgentCardUrl": "http://table/",
        "config": {**rules, "maxHands": 100, "maxSeats": 6, "actionTimeoutMs": 10_000, **config},
        "epoch": 1,
        "events": list(events),
        "summary": {
            "tableId": "main",
            "status": "running",
            "handCount": sum(event["eventType"] == "hand_completed" for event in events),
            "players": list(players),
        },
    }
