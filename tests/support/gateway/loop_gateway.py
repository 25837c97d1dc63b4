"""A gateway in the test's loop and on its time, with its casino.

async with loop_gateway() as live:
    await live.casino.open("main", "kuhn_poker")
    await live.casino.seat(live.casino.bot, "main")
    await live.sit("main", "Ada")
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
from casino_agentkit.server.limits import DEFAULT_LIMITS
from casino_agentkit.server.server import bind
from casino_gateway.app import build_app
from casino_gateway.settings import GatewaySettings

from support.casino.loop_casino import LoopCasino, SeatsClock, loop_casino
from support.gateway.outside_seat import OutsideSeat, sit
from support.listening import accepting

GATEWAY = "http://gateway"
PAGE = "https://casino.example"
"""A page that may take seats."""


class LoopGateway:
    """A gateway whose seats are served at its origin, and its clients at `url`."""

    def __init__(self, casino: LoopCasino, data: Path, **settings: Any) -> None:
        self.casino = casino
        values = {
            "lobby_url": casino.url,
            "data": data,
            "seats_per_address": 0,
            "logins_per_address": 0,
            "cors_origins": PAGE,
            **settings,
        }
        self._settings = GatewaySettings.model_validate(values)
        self._running = AsyncExitStack()
        self.url = ""
        self.http = httpx.AsyncClient()

    @property
    def bot(self) -> str:
        """The card of a player that plays any game."""
        return self.casino.bot

    @property
    def socket_url(self) -> str:
        """The address of the gateway for WebSockets, without a path."""
        return self.url.replace("http", "ws", 1)

    async def start(self) -> None:
        """Start the gateway, at another port, with the data of before."""
        listener = bind("127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        service = build_app(self._settings, GATEWAY, clock=SeatsClock())
        self.casino.serve(GATEWAY, service)
        for part in (
            service.running(),
            accepting(listener, service, DEFAULT_LIMITS),
            httpx.AsyncClient(base_url=self.url, timeout=30, trust_env=False),
        ):
            entered = await self._running.enter_async_context(part)
            self.http = entered if isinstance(entered, httpx.AsyncClient) else self.http

    async def end(self) -> None:
        """End the gateway: its seats stay taken."""
        self.casino.calls.leave(GATEWAY)
        await self._running.aclose()

    async def sit(self, room_id: str, name: str, kind: str = "ai") -> OutsideSeat:
        """Take a seat over the Boardgame Protocol."""
        return await sit(self.http, room_id, name, kind)


@asynccontextmanager
async def loop_gateway(**settings: Any) -> AsyncIterator[LoopGateway]:
    with TemporaryDirectory() as data:
        async with loop_casino() as casino:
            live = LoopGateway(casino, Path(data), **settings)
            await live.start()
            try:
                yield live
            finally:
                await live.end()
