"""A gateway beside a casino of real processes, or with its casino in the test's loop and time.

async with live_gateway() as live:  # or loop_gateway()
    await live.open("main", "kuhn_poker")
    await live.casino.seat(live.bot, "main")
    await live.sit("main", "Ada")
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
from casino_agentkit.server.server_limits import DEFAULT_LIMITS
from casino_agentkit.server.serving import bind
from casino_gateway.app import build_app
from casino_gateway.settings import GatewaySettings

from support.casino.casino import GAME_RULES, ProcessCasino, process_casino
from support.casino.loop_casino import LoopCasino, SeatsClock, loop_casino
from support.casino.members import Process
from support.listening import accepting
from support.processes import PATIENCE_S, reserved_port

Json = dict[str, Any]
RULES: Json = {**GAME_RULES, "actionTimeoutMs": 5_000, "maxSeats": 2}
GATEWAY = "http://gateway"
"""The origin of a gateway in the test's loop, for its lobby and tables."""
PAGE = "https://casino.example"
"""A page that may take seats at it."""


class OutsideSeat:
    """A seat taken over the Boardgame Protocol, played by polling `POST /bgp`."""

    def __init__(self, http: httpx.AsyncClient, taken: Json) -> None:
        self.agent_id: str = taken["agent_id"]
        self.match_id: str = taken["match_id"]
        self.token: str = taken["token"]
        self.game: str = taken["game"]
        self._http = http

    @property
    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.token}"}

    def message(self, kind: str, **fields: Any) -> Json:
        return {
            "version": "1.0.0",
            "type": kind,
            "game": self.game,
            "match_id": self.match_id,
            "agent_id": self.agent_id,
            **fields,
        }

    async def state(self) -> Json:
        """Return the seat's view of the match."""
        return await self._send("get_state")

    async def act(self, action_type: str, **data: Any) -> Json:
        action = {"type": action_type, "data": data}
        response: Json = (await self._send("perform_action", action=action))["action_response"]
        return response

    async def _send(self, kind: str, **fields: Any) -> Json:
        message = self.message(kind, **fields)
        reply = await self._http.post("/bgp", json=message, headers=self.headers)
        answer: Json = reply.json()
        assert answer["type"] == f"{kind}_response", answer
        return answer


class Gateway:
    """What clients see of a gateway."""

    url: str
    http: httpx.AsyncClient

    @property
    def socket_url(self) -> str:
        """The address of the gateway for WebSockets, without a path."""
        return self.url.replace("http", "ws", 1)

    async def sit(self, room_id: str, name: str, kind: str = "ai") -> OutsideSeat:
        """Take a seat over the Boardgame Protocol."""
        body = {"match_id": room_id, "name": name, "type": kind}
        reply = await self.http.post("/bgp/seats", json=body)
        assert reply.status_code == 201, reply.text
        return OutsideSeat(self.http, reply.json())


class LiveGateway(Gateway, Process):
    """A gateway process beside a casino's processes; it may be killed and started again."""

    def __init__(self, casino: ProcessCasino, port: int, settings: dict[str, str]) -> None:
        settings = {
            "CASINO_GATEWAY_LOBBY_URL": casino.lobby.url,
            "CASINO_GATEWAY_PORT": str(port),
            "CASINO_GATEWAY_CORS_ORIGINS": casino.lobby.url,
            "CASINO_GATEWAY_SEATS_PER_ADDRESS": "0",
            "CASINO_GATEWAY_LOGINS_PER_ADDRESS": "0",
            **settings,
        }
        super().__init__("gateway", "casino_gateway", settings=settings)
        self.casino = casino
        self.http = httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE_S, trust_env=False
        )
        self.bot = ""
        """The card of a sample player that plays any game."""

    async def open(self, room_id: str, game_type: str, **config: Any) -> None:
        """Open a room; it starts when its last seat is taken."""
        config = {**RULES, **config}
        await self.casino.open_room({"roomId": room_id, "gameType": game_type, "config": config})


@asynccontextmanager
async def live_gateway(
    gateway: dict[str, str] | None = None, **lobby: Any
) -> AsyncIterator[LiveGateway]:
    """Run a lobby and a gateway that know of each other; ends everything that was started."""
    async with AsyncExitStack() as stack:
        port = reserved_port()
        lobby = {
            # Without a key, an address has 20 streams; the gateway follows each room by one.
            "CASINO_LOBBY_STREAMS_PER_ADDRESS": "0",
            "CASINO_LOBBY_GATEWAY_URL": f"http://127.0.0.1:{port}",
            # No test needs the end of a hand whose players are gone.
            "CASINO_LOBBY_DRAIN_TIMEOUT": "1s",
            "CASINO_TABLE_DRAIN_TIMEOUT": "1s",
            **lobby,
        }
        casino = await stack.enter_async_context(process_casino(**lobby))
        settings = {"CASINO_GATEWAY_DATA": stack.enter_context(TemporaryDirectory())}
        if key := lobby.get("CASINO_LOBBY_OPERATOR_TOKEN"):
            settings["CASINO_GATEWAY_OPERATOR_TOKEN"] = key
        live = LiveGateway(casino, port, {**settings, **(gateway or {})})
        stack.push_async_callback(live.http.aclose)
        # By SIGTERM it would wait for seats that are being asked.
        stack.push_async_callback(live.kill)
        await live.start()
        live.bot = (await casino.sample("generic")).cards[0]
        yield live


class LoopGateway(Gateway):
    """A gateway whose seats are served at its origin, and its clients at `url`."""

    def __init__(self, casino: LoopCasino, data: Path, **settings: Any) -> None:
        self.casino = casino
        self.open = casino.open
        self.bot = casino.bot
        """The card of a player that plays any game."""
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

    async def start(self) -> None:
        """Start the gateway, at another port, with the data of before."""
        listener = bind("127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        service = build_app(self._settings, GATEWAY, clock=SeatsClock())
        self.casino.serve(GATEWAY, service)
        await self._running.enter_async_context(service.running())
        await self._running.enter_async_context(accepting(listener, service, DEFAULT_LIMITS))
        client = httpx.AsyncClient(base_url=self.url, timeout=PATIENCE_S, trust_env=False)
        self.http = await self._running.enter_async_context(client)

    async def end(self) -> None:
        """End the gateway: its seats stay taken."""
        self.casino.calls.leave(GATEWAY)
        await self._running.aclose()


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
