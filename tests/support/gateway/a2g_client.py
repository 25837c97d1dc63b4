"""A client of A2G, and a player that validates all that it gets and sends."""

import json
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import websockets
from casino_gamespec import GameSpec
from casino_gamespec.a2g import a2g_action
from casino_gamespec.choice import random_action
from websockets.asyncio.client import ClientConnection

from support.gateway.live_gateway import Json, LiveGateway, LoopGateway

AGateway = LiveGateway | LoopGateway
_REQUESTS = ("game_action_request", "betting_window_open")


class Client:
    """A client's socket, with the messages that it got."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.seen: list[Json] = []
        self._count = 0

    async def send(self, kind: str, payload: Json | None = None, **fields: Any) -> str:
        self._count += 1
        fields.setdefault("messageId", f"{id(self)}-{self._count}")
        await self.socket.send(json.dumps({"type": kind, "payload": payload or {}, **fields}))
        message_id: str = fields["messageId"]
        return message_id

    async def next(self) -> Json:
        message: Json = json.loads(await self.socket.recv())
        self.seen.append(message)
        return message

    async def until(self, kind: str, **payload: Any) -> Json:
        while True:
            message = await self.next()
            has = message["payload"]
            if message["type"] == kind and payload.items() <= has.items():
                return message

    async def closed(self) -> int:
        """Return the close code, when the socket is closed."""
        try:
            while True:
                self.seen.append(json.loads(await self.socket.recv()))
        except websockets.ConnectionClosed:
            code = self.socket.close_code
        assert code is not None
        return code

    async def sign_in(self, token: str) -> Json:
        await self.until("hello")
        await self.send("authenticate", {"token": token, "protocolVersion": "1.0"})
        return await self.until("authenticated")


class A2gPlayer(Client):
    """A client with a login; it plays each game from its served specification."""

    def __init__(self, token: str, socket: ClientConnection, spec: GameSpec) -> None:
        super().__init__(socket)
        self.token = token
        self.spec = spec
        self._dice = random.Random("a2g")
        self._asked = 0

    async def next(self) -> Json:
        """Return the next message, whose payload conforms to the specification."""
        message = await super().next()
        match message["type"]:
            case "game_action_request" | "betting_window_open" | "game_state_update":
                faults = self.spec.check_state(message["payload"])
            case "player_action_broadcast":
                faults = self.spec.check_action(message["payload"])
            case "round_result":
                faults = self.spec.check_result(message["payload"])
            case _:
                faults = ()
        assert not faults, (message["type"], faults, message["payload"])
        if message["type"] in _REQUESTS:
            self._asked = message["handNumber"]
        elif message["type"] == "round_result":
            assert message["handNumber"] >= self._asked, "a result came after the next question"
        return message

    async def request(self) -> Json:
        while (message := await self.next())["type"] not in _REQUESTS:
            pass
        return message

    async def answer(self, request: Json) -> None:
        """Answer a question by chance."""
        offers = own_offers(request["payload"]["availableActions"])
        action = a2g_action(random_action(offers, self._dice))
        assert not self.spec.check_action(action), action
        named = {name: request[name] for name in ("gameType", "tableId")}
        await self.send("submit_action", action, **named)

    async def play(self, hands: int) -> list[Json]:
        """Play until the result of a hand came; returns all messages."""
        hand = 0
        while hand < hands:
            message = await self.next()
            if message["type"] in _REQUESTS:
                await self.answer(message)
            elif message["type"] == "round_result":
                hand = message["handNumber"]
        return self.seen


def bearer(token: str | None) -> dict[str, str]:
    return {} if token is None else {"Authorization": f"Bearer {token}"}


def own_offers(offers: list[Json]) -> list[Json]:
    """Return offers of our gateway as the casino writes them."""
    names = {"type": "action_type", "minAmount": "min", "maxAmount": "max"}
    return [{names.get(key, key): offer[key] for key in offer} for offer in offers]


async def guest(http: httpx.AsyncClient, name: str = "Ada") -> str:
    """Return the token of a new guest."""
    reply = await http.post("/api/auth/guest", json={"displayName": name})
    assert reply.status_code == 200, reply.text
    token: str = reply.json()["token"]
    return token


async def join(http: httpx.AsyncClient, room_id: str, token: str, **wish: Any) -> Json:
    """Take a seat, or read which it is."""
    reply = await http.post(f"/api/rooms/{room_id}/join", headers=bearer(token), json=wish)
    assert reply.status_code == 200, reply.text
    joined: Json = reply.json()
    return joined


async def specification(http: httpx.AsyncClient, game_type: str, token: str) -> GameSpec:
    reply = await http.get(f"/api/games/{game_type}/spec", headers=bearer(token))
    assert reply.status_code == 200, reply.text
    return GameSpec.parse(reply.text)


@asynccontextmanager
async def connected(live: AGateway, token: str, spec: GameSpec) -> AsyncIterator[A2gPlayer]:
    async with websockets.connect(f"{live.socket_url}/ws", max_size=None) as socket:
        yield A2gPlayer(token, socket, spec)


@asynccontextmanager
async def player(
    live: AGateway, room_id: str, game_type: str, **wish: Any
) -> AsyncIterator[A2gPlayer]:
    """Seat a new guest in a room, beside a sample player that comes second; `wish` is of `join`."""
    token = await guest(live.http)
    spec = await specification(live.http, game_type, token)
    async with connected(live, token, spec) as client:
        await client.sign_in(token)
        await join(live.http, room_id, token, **wish)
        assert (await live.casino.seat(live.bot, room_id)).is_success
        yield client
