"""The page as a lobby serves it, in front of prepared answers instead of a lobby."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from casino_agentkit.server.serving import bind
from casino_lobby.page import page_routes
from playwright.async_api import Page
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from support.chromium import Watch

ORIGIN = "http://casino.test"
BLOG = "http://blog.test"
GATEWAY = "http://gateway.test"

Event = dict[str, Any]


class PageHarness:
    """Answers of a lobby by path, without the query; other paths are a 404."""

    def __init__(self, page: Page, watch: Watch) -> None:
        self.page, self.watch = page, watch
        self.base = ""
        """The path below which a proxy serves the lobby."""
        self.gateway_url: str | None = None
        self.embedder = ""
        self.blog = ""
        """The page of another site, at every path of it."""
        self.answers: dict[str, Any] = {}
        self.problems: dict[str, Any] = {}
        """What commands are refused with, by path."""
        self.bodies: list[str] = []
        """What was sent with commands."""
        self.lost: str | None = None
        """The end of the path of a file that is not found."""
        self.streams: dict[str, Stream] = {}
        self.asked: list[tuple[str, str, dict[str, str]]] = []
        """Method, path with query, and headers of every request to the lobby."""
        self.joined: list[dict[str, Any]] = []
        """Path and body of what the gateway was asked."""

    def stream(self, path: str, *connections: str) -> "Stream":
        """Send these frames to one connection after the other; those from the last on stay open."""
        self.streams[path] = Stream(connections)
        return self.streams[path]

    async def answer(self, request: Request) -> Response | ASGIApp:
        if request.headers["host"] == urlsplit(BLOG).netloc:
            return HTMLResponse(self.blog)
        path = request.scope["raw_path"].decode().removeprefix(self.base)
        if request.headers["host"] == urlsplit(GATEWAY).netloc:
            return await self._as_gateway(request, path)
        if self.lost is not None and path.endswith(self.lost):
            return Response(status_code=404)
        if not path.startswith(("/v1/", "/api/")):
            request.scope["path"] = request.scope["path"].removeprefix(self.base)
            request.scope["raw_path"] = path.encode()
            return _files(self.gateway_url, self.embedder)
        return await self._as_lobby(request, path)

    async def _as_lobby(self, request: Request, path: str) -> Response:
        target = f"{path}?{request.url.query}" if request.url.query else path
        self.asked.append((request.method, target, dict(request.headers)))
        if request.method != "GET":
            self.bodies.append((await request.body()).decode())
            if path in self.problems:
                return JSONResponse(self.problems[path], self.problems[path]["status"])
        if path in self.streams:
            frames = self.streams[path].connect()
            return StreamingResponse(frames, media_type="text/event-stream")
        if path in self.answers:
            return JSONResponse(self.answers[path])
        return JSONResponse({"title": "Nothing is here", "status": 404, "detail": "No."}, 404)

    async def _as_gateway(self, request: Request, path: str) -> Response:
        cors = {"access-control-allow-origin": ORIGIN, "access-control-allow-headers": "*"}
        if request.method == "OPTIONS":
            return Response(status_code=204, headers=cors)
        body = await request.body()
        self.joined.append({"path": path, **(json.loads(body) if body else {})})
        return JSONResponse(self.answers[path], headers=cors)


class Stream:
    """A stream of events, whose frames each connection gets."""

    def __init__(self, connections: Sequence[str]) -> None:
        self._connections = connections
        self._count = 0
        self._more: list[str | None] = []
        self._came = asyncio.Condition()

    async def push(self, frames: str | None) -> None:
        """Send more to whoever is connected last; None ends the connection."""
        async with self._came:
            self._more.append(frames)
            self._came.notify_all()

    async def connect(self) -> AsyncIterator[str]:
        self._count += 1
        number = self._count
        if self._connections:
            yield self._connections[min(number, len(self._connections)) - 1]
        if number < len(self._connections):
            return
        while True:
            async with self._came:
                await self._came.wait_for(lambda: bool(self._more))
                frames = self._more.pop(0)
            if frames is None:
                return
            yield frames


class PageServer:
    """Serves the page to all tests, one after the other; `harness` is that of the current one."""

    def __init__(self) -> None:
        self.harness: PageHarness | None = None
        self._listener = bind("127.0.0.1", 0)
        self.port: int = self._listener.getsockname()[1]
        self._server = _Server(uvicorn.Config(self, lifespan="off", log_config=None, ws="none"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        assert self.harness is not None
        answer = await self.harness.answer(Request(scope, receive))
        await answer(scope, receive, send)

    async def run(self) -> None:
        """Serve until it is stopped."""
        await self._server.serve(sockets=[self._listener])

    def stop(self) -> None:
        """End it."""
        self._server.should_exit = True


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@cache
def _files(gateway_url: str | None, embedder: str) -> ASGIApp:
    embedders = [embedder] if embedder else []
    return Starlette(routes=page_routes(gateway_url, embedders=embedders))


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


def snapshot(found: Event, cursor: int = 1) -> str:
    return frame("snapshot", {"cursor": cursor, "room": found}, cursor)


def rooms(*lines: Event) -> str:
    return frame("snapshot", {"cursor": 1, "rooms": list(lines)}, 1)
