"""The gateway's door for bots in the test's loop, before a lobby that is a function."""

import itertools
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import httpx
import websockets
from casino_agentkit import HostedAgents, Service, WebSocketLimits
from casino_agentkit.protocol import CARD_PATH, EXTENSION, RPC_PATH
from casino_agentkit.server.server_limits import DEFAULT_LIMITS
from casino_gateway.bots.bot_endpoint import BotEndpoint, BotSeating
from casino_gateway.bots.bot_index import BotIndex
from casino_gateway.bots.dialled_bot import BotLimits
from casino_gateway.seats.registration import SEATS
from casino_lobby_client.lobby_client import LobbyClient
from websockets.asyncio.client import ClientConnection

from support.casino.loop_casino import SeatsClock
from support.listening import listening
from support.processes import PATIENCE_S, run_until

Json = dict[str, Any]
SEAT: Json = {
    "roomId": "green",
    "playerId": "player-1",
    "displayName": "Mine",
    "seatNumber": 2,
    "stack": 200,
    "agentCardUrl": "http://127.0.0.1/",
}
TABLE: Json = {"tableId": "t1", "status": "waiting", "handCount": 0, "players": []}
ACT: Json = {"tableId": "t1", "deadlineMs": 10_000}


class Line:
    """A bot's connection."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self._numbers = itertools.count(1)

    async def send(self, frame: Json | str | bytes) -> None:
        await self.socket.send(json.dumps(frame) if isinstance(frame, dict) else frame)

    async def next(self) -> Json:
        frame: Json = json.loads(await self.socket.recv())
        return frame

    async def ask(self, skill: str, data: Json | None = None) -> Json:
        """Ask the gateway and return its answer, which must be the next frame."""
        number = f"bot-{next(self._numbers)}"
        await self.send({"id": number, "skill": skill, "data": data or {}})
        reply = await self.next()
        assert reply.pop("id") == number
        return reply

    async def hello(self, **data: Any) -> Json:
        welcome: Json = (await self.ask("hello", data))["data"]
        return welcome


class BotsSide:
    """The door, the way to the agents behind it, and the requests that the lobby got."""

    def __init__(self, limits: BotLimits) -> None:
        clock = SeatsClock()
        self.asked: list[httpx.Request] = []
        self.reply: Callable[[httpx.Request], httpx.Response] = lambda request: httpx.Response(
            201, json=TABLE if request.method == "DELETE" else SEAT
        )
        hosted = HostedAgents(SEATS)
        http = httpx.AsyncClient(base_url="http://lobby", transport=httpx.MockTransport(self._take))
        lobby = LobbyClient(http, seating=timedelta(seconds=5))
        self.index = BotIndex(hosted, "http://gateway", limits, clock.now)
        self.endpoint = BotEndpoint(self.index, BotSeating(lobby), limits, clock.now)
        self.service = Service(
            {}, routes=self.endpoint.routes(), hosted=hosted, websockets=WebSocketLimits()
        )
        self.port = 0
        self.http = httpx.AsyncClient(timeout=PATIENCE_S, trust_env=False)

    def _take(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        return self.reply(request)

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[Line]:
        """Connect a bot, without a hello."""
        async with websockets.connect(f"ws://127.0.0.1:{self.port}/bots") as socket:
            yield Line(socket)

    async def until_gone(self) -> None:
        """Wait until no bot is connected."""
        await run_until(lambda: len(self.index) == 0)

    async def card(self, welcome: Json) -> httpx.Response:
        path = welcome["agentCardUrl"].removeprefix("http://gateway")
        return await self.http.get(f"http://127.0.0.1:{self.port}{path}")

    async def call(self, welcome: Json, skill: str, data: Json, token: str = "") -> Json:
        path = welcome["agentCardUrl"].removeprefix("http://gateway").removesuffix(CARD_PATH)
        url = f"http://127.0.0.1:{self.port}{path}"
        return await call_agent(self.http, url, skill, data, token)


async def call_agent(
    http: httpx.AsyncClient, url: str, skill: str, data: Json, token: str = ""
) -> Json:
    """Call an agent as tables do; returns the JSON-RPC reply."""
    message = {
        "messageId": "m",
        "role": "ROLE_USER",
        "extensions": [EXTENSION],
        "metadata": {EXTENSION: {"skill": skill}},
        "parts": [{"mediaType": "application/json", "data": data}],
    }
    call = {"jsonrpc": "2.0", "id": "1", "method": "SendMessage", "params": {"message": message}}
    headers = {"A2A-Version": "1.0", "A2A-Extensions": EXTENSION}
    if token:
        headers["authorization"] = f"Bearer {token}"
    reply: Json = (await http.post(url + RPC_PATH, json=call, headers=headers)).json()
    return reply


def output_of(reply: Json) -> Json:
    output: Json = reply["result"]["message"]["parts"][0]["data"]
    return output


def reason_of(reply: Json) -> str:
    """Return the reason of a call that was refused."""
    details = reply["error"]["data"]
    return next(str(one["metadata"]["reason"]) for one in details if "reason" in one)


@asynccontextmanager
async def bots_side(limits: BotLimits | None = None) -> AsyncIterator[BotsSide]:
    """Serve the door on a free port."""
    side = BotsSide(limits or BotLimits())
    async with listening(side.service, DEFAULT_LIMITS) as port, side.http:
        side.port = port
        yield side
