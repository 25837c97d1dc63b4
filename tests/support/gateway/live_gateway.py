"""A casino of real processes with a gateway: a lobby, its tables, sample players, outside seats.

async with live_gateway() as live:
await live.open("main", gameType="kuhn_poker", maxSeats=2)
await live.casino.seat(live.bot, "main")
await live.sit("main", "Ada")
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
from casino_agentkit import Child

from support.casino.live import ENVIRONMENT, GAME_RULES, ProcessCasino, live_casino
from support.free_port import free_port
from support.gateway.outside_seat import OutsideSeat, sit

Json = dict[str, Any]
RULES: Json = {
    **GAME_RULES,
    "actionTimeoutMs": 5_000,
    "maxSeats": 2,
}


class LiveGateway:
    """A gateway process beside a casino's processes; it may be killed and started again."""

    def __init__(
        self, casino: ProcessCasino, data: Path, port: int, settings: dict[str, str]
    ) -> None:
        self.casino = casino
        self.url = f"http://127.0.0.1:{port}"
        self.http = httpx.AsyncClient(base_url=self.url, timeout=30, trust_env=False)
        self.bot = ""
        """The card of a sample player that plays any game."""
        self.log: list[str] = []
        self.child: Child | None = None
        self.database = data / "gateway.db"
        self._environment = {
            **ENVIRONMENT,
            "CASINO_GATEWAY_LOBBY_URL": casino.lobby.url,
            "CASINO_GATEWAY_PORT": str(port),
            "CASINO_GATEWAY_DATA": str(data),
            "CASINO_GATEWAY_SEATS_PER_ADDRESS": "0",
            "CASINO_GATEWAY_LOGINS_PER_ADDRESS": "0",
            **settings,
        }

    @property
    def socket_url(self) -> str:
        """The address of the gateway for WebSockets, without a path."""
        return self.url.replace("http", "ws", 1)

    async def start(self, **settings: str) -> None:
        """Start the gateway, at the same address and with the same data as before."""
        environment = {**self._environment, **settings}
        self.child = await Child.start(
            "gateway", "casino_gateway", environment=environment, on_log=self.log.append
        )

    async def kill(self) -> None:
        """End the gateway by SIGKILL."""
        assert self.child is not None
        await self.child.kill()
        self.child = None

    async def end(self) -> None:
        """Kill the gateway if it runs: by SIGTERM it would wait for seats that are being asked."""
        if self.child is not None:
            await self.kill()

    async def open(self, room_id: str, game_type: str, **config: Any) -> None:
        """Open a room; it starts when its last seat is taken."""
        body = {"roomId": room_id, "gameType": game_type, "config": {**RULES, **config}}
        reply = await self.casino.http.post("/v1/rooms", json=body)
        assert reply.status_code == 201, reply.text

    async def sit(self, room_id: str, name: str, kind: str = "ai") -> OutsideSeat:
        """Take a seat over the Boardgame Protocol."""
        return await sit(self.http, room_id, name, kind)


@asynccontextmanager
async def live_gateway(
    gateway: dict[str, str] | None = None, **lobby: Any
) -> AsyncIterator[LiveGateway]:
    """Run a lobby and a gateway that know of each other; ends everything that was started."""
    async with AsyncExitStack() as stack:
        port = free_port()
        lobby = {
            # Without a key, an address has 20 streams; the gateway follows each room by one.
            "CASINO_LOBBY_STREAMS_PER_ADDRESS": "0",
            "CASINO_LOBBY_GATEWAY_URL": f"http://127.0.0.1:{port}",
            # No test needs the end of a hand whose players are gone.
            "CASINO_LOBBY_DRAIN_TIMEOUT": "1s",
            "CASINO_TABLE_DRAIN_TIMEOUT": "1s",
            **lobby,
        }
        casino = await stack.enter_async_context(live_casino(**lobby))
        data = Path(stack.enter_context(TemporaryDirectory()))
        key = lobby.get("CASINO_LOBBY_OPERATOR_TOKEN")
        settings = {"CASINO_GATEWAY_CORS_ORIGINS": casino.lobby.url}
        if key:
            settings["CASINO_GATEWAY_OPERATOR_TOKEN"] = key
        live = LiveGateway(casino, data, port, {**settings, **(gateway or {})})
        stack.push_async_callback(live.http.aclose)
        stack.push_async_callback(live.end)
        await live.start()
        live.bot = (await casino.sample("generic")).cards[0]
        yield live
