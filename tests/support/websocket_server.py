"""A service with WebSockets that echo, wait, talk without end, or fail."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from casino_agentkit import Service, WebSocketLimits, caller
from casino_agentkit.server.server_limits import DEFAULT_LIMITS, ServerLimits
from prometheus_client import generate_latest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket, WebSocketDisconnect

from support.listening import listening
from support.players.sample_agent import SampleAgent
from support.processes import run_until

LINE = "x" * 16_384
UPGRADE = (
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
)
"""Headers of a request for a WebSocket."""


class WebSocketServer:
    """A service with each kind of WebSocket."""

    def __init__(
        self, limits: WebSocketLimits | None, guarded: Callable[[ASGIApp], ASGIApp] | None = None
    ) -> None:
        self.go = asyncio.Event()
        """Lets `/wait` read its messages."""
        self.sent = 0
        """Messages of `/talk` that the server took."""
        self.ended = asyncio.Event()
        """Whether a WebSocket of `/talk` or `/chorus` has ended."""
        self.codes: list[int] = []
        """Close codes that the applications of `/echo` saw."""
        routes = [
            Route("/quick", self.quick),
            WebSocketRoute("/echo", self.echo),
            WebSocketRoute("/wait", self.wait),
            WebSocketRoute("/talk", self.talk),
            WebSocketRoute("/chorus", self.chorus),
            WebSocketRoute("/fail", self.fail),
            WebSocketRoute("/caller", self.caller),
        ]
        beside: dict[str, Any] = {} if guarded is None else {"guarded": guarded}
        self.service = Service(
            {"": SampleAgent().agent}, routes=routes, websockets=limits, **beside
        )

    async def quick(self, _request: Request) -> Response:
        """Answer over HTTP."""
        return PlainTextResponse("quick")

    async def echo(self, socket: WebSocket) -> None:
        """Return each text; "bye" closes."""
        await socket.accept()
        try:
            while (text := await socket.receive_text()) != "bye":
                await socket.send_text(text)
        except WebSocketDisconnect as end:
            self.codes.append(end.code)
        else:
            await socket.close(4000, "bye")

    async def wait(self, socket: WebSocket) -> None:
        """Read messages only when the test allows it; send their number."""
        await socket.accept()
        await self.go.wait()
        count = 0
        while await socket.receive_text() != "end":
            count += 1
        await socket.send_text(str(count))

    async def talk(self, socket: WebSocket) -> None:
        """Send without end, one message after another."""
        await socket.accept()
        try:
            while True:
                await socket.send_text(LINE)
                self.sent += 1
        except WebSocketDisconnect:
            self.ended.set()

    async def chorus(self, socket: WebSocket) -> None:
        """Send a thousand messages at once, each from a task of its own."""
        await socket.accept()
        await asyncio.gather(
            *(socket.send_text(LINE) for _ in range(1_000)), return_exceptions=True
        )
        self.ended.set()

    async def fail(self, socket: WebSocket) -> None:
        await socket.accept()
        raise ValueError("a secret detail")

    async def caller(self, socket: WebSocket) -> None:
        await socket.accept()
        await socket.send_text(f"{caller().token} {caller().address}")

    def metrics(self) -> str:
        return generate_latest(self.service.registry).decode()

    async def until_metrics_say(self, text: str) -> None:
        """Wait until the metrics contain a text."""
        await run_until(lambda: text in self.metrics())


@asynccontextmanager
async def websocket_server(
    limits: WebSocketLimits | None,
    server: ServerLimits = DEFAULT_LIMITS,
    *,
    guarded: Callable[[ASGIApp], ASGIApp] | None = None,
    tls: ssl.SSLContext | None = None,
) -> AsyncIterator[tuple[WebSocketServer, int]]:
    """Serve a service with WebSockets; yields it and its port."""
    made = WebSocketServer(limits, guarded)
    async with listening(made.service, server, tls) as port:
        yield made, port
