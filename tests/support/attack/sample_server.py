"""A server with quick, slow, large and endless answers, with limits or without."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from casino.attack.attack_traffic import AttackAddress
from casino_agentkit import Service
from casino_agentkit.server.server_limits import ServerLimits
from prometheus_client import generate_latest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from support.listening import listening
from support.players.sample_agent import SampleAgent

SOON = timedelta(milliseconds=200)
LIMITS = ServerLimits(
    first_byte=SOON, head=SOON, body=SOON, idle=SOON, unread=SOON, per_address=8, connections=20
)
UNHURRIED = ServerLimits()
TICK_S = 0.75
"""Between two pieces of a stream; of the fifth write to a lost connection asyncio would warn."""
MEGABYTE = 1024 * 1024
BIG = 16 * MEGABYTE


class SampleServer:
    """A service with each kind of answer."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.streams = 0
        routes = [
            Route("/quick", self.quick, methods=["GET", "POST"]),
            Route("/slow", self.slow, methods=["GET", "POST"]),
            Route("/big", self.big),
            Route("/stream", self.stream),
        ]
        self.service = Service({"": SampleAgent().agent}, routes=routes)

    async def quick(self, request: Request) -> Response:
        """Return the size of the body, and who sent it how."""
        client = request.client and request.client.host
        size = len(await request.body())
        return PlainTextResponse(f"{request.url.scheme} {client} {size}")

    async def slow(self, _request: Request) -> Response:
        """Answer when the test allows it."""
        await self.go.wait()
        return PlainTextResponse("at last")

    async def big(self, _request: Request) -> Response:
        """Return a large body."""
        return PlainTextResponse("x" * BIG)

    async def stream(self, _request: Request) -> Response:
        """Send ticks without end."""
        return StreamingResponse(self._ticks(), media_type="text/event-stream")

    async def _ticks(self) -> AsyncIterator[bytes]:
        self.streams += 1
        try:
            while True:
                yield b": tick\n\n"
                await asyncio.sleep(TICK_S)  # virtual: of the stream
        finally:
            self.streams -= 1

    def metrics(self) -> str:
        """Return the metrics of the process."""
        return generate_latest(self.service.registry).decode()


@asynccontextmanager
async def sample_server(
    limits: ServerLimits | None, tls: ssl.SSLContext | None = None
) -> AsyncIterator[tuple[SampleServer, AttackAddress]]:
    """Serve a sample service; yields it and its address."""
    made = SampleServer()
    async with listening(made.service, limits, tls) as port:
        yield made, AttackAddress(port)
