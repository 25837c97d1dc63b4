"""A player of A2G, which validates all that it gets and sends."""

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import websockets
from casino_gamespec import GameSpec, default_action
from casino_gamespec.a2g import a2g_action
from casino_gamespec.choice import random_action

from support.gateway.a2g_side import Client, bearer
from support.gateway.live_gateway import LiveGateway
from support.gateway.loop_gateway import LoopGateway

Json = dict[str, Any]
AGateway = LiveGateway | LoopGateway
_REQUESTS = ("game_action_request", "betting_window_open")


class A2gPlayer(Client):
    """A client with a login; it plays each game from its served specification."""

    def __init__(
        self, live: AGateway, token: str, socket: websockets.ClientConnection, spec: GameSpec
    ) -> None:
        super().__init__(socket)
        self.live = live
        self.token = token
        self.spec = spec
        self.dice = random.Random("a2g")
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

    async def answer(self, request: Json, action: Json | None = None) -> str:
        """Answer a question, by default at random; returns the message's id."""
        offers = own_offers(request["payload"]["availableActions"])
        action = a2g_action(random_action(offers, self.dice)) if action is None else action
        assert not self.spec.check_action(action), action
        return await self.send(
            "submit_action",
            action,
            gameType=request["gameType"],
            tableId=request["tableId"],
        )

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


def own_offers(offers: list[Json]) -> list[Json]:
    """Return offers of our gateway as the casino writes them."""
    names = {"type": "action_type", "minAmount": "min", "maxAmount": "max"}
    return [{names.get(key, key): offer[key] for key in offer} for offer in offers]


def cheapest(request: Json) -> Json:
    return a2g_action(default_action(own_offers(request["payload"]["availableActions"])))


async def guest(live: AGateway, name: str = "Ada") -> str:
    reply = await live.http.post("/api/auth/guest", json={"displayName": name})
    assert reply.status_code == 200, reply.text
    token: str = reply.json()["token"]
    return token


async def join(live: AGateway, room_id: str, token: str, **body: Any) -> Json:
    path = f"/api/rooms/{room_id}/join"
    reply = await live.http.post(path, headers=bearer(token), json=body)
    assert reply.status_code == 200, reply.text
    joined: Json = reply.json()
    return joined


async def specification(live: AGateway, game_type: str, token: str) -> GameSpec:
    reply = await live.http.get(f"/api/games/{game_type}/spec", headers=bearer(token))
    assert reply.status_code == 200, reply.text
    return GameSpec.parse(reply.text)


@asynccontextmanager
async def connected(live: AGateway, token: str, spec: GameSpec) -> AsyncIterator[A2gPlayer]:
    async with websockets.connect(f"{live.socket_url}/ws", max_size=None) as socket:
        yield A2gPlayer(live, token, socket, spec)


@asynccontextmanager
async def player(live: AGateway, room_id: str, game_type: str) -> AsyncIterator[A2gPlayer]:
    """Seat a new guest in a room, beside a sample player that comes second."""
    token = await guest(live)
    spec = await specification(live, game_type, token)
    async with connected(live, token, spec) as client:
        await client.sign_in(token)
        await join(live, room_id, token)
        assert (await live.casino.seat(live.bot, room_id)).is_success
        yield client
