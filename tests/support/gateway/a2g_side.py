"""A2G served in the test's loop over one real seat, with injected time and no lobby."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import websockets
from casino_agentkit import Service, WebSocketLimits
from casino_agentkit.server.limits import DEFAULT_LIMITS
from casino_contracts import ListedGame, RoomSnapshot, RoomSummary
from casino_gateway.a2g.limits import A2gLimits, Clocks
from casino_gateway.a2g.routes import a2g_routes
from casino_gateway.a2g.server import A2g
from casino_gateway.domain.match import Match
from casino_gateway.seats.live_seat import LiveSeat
from casino_gateway.seats.seat_service import SeatOrder, SeatService, TakenSeat
from casino_gateway.store.gateway_database import gateway_database
from casino_seats.errors import SeatRefused, UnknownRoom
from websockets.asyncio.client import ClientConnection

from support.gateway.seat_side import KUHN, SeatSide, request, snapshot
from support.listening import listening

Json = dict[str, Any]


class OneRoom(SeatService):
    """The seats of one room, which are real; the lobby is left out."""

    def __init__(self, side: SeatSide, game_model: Any) -> None:
        self.side = side
        self.game_model = game_model
        self.owners: dict[str, LiveSeat] = {}
        self.orders: list[SeatOrder] = []
        self.left: list[LiveSeat] = []

    async def take(self, order: SeatOrder) -> TakenSeat:
        self.orders.append(order)
        if self.owners:
            raise SeatRefused("ROOM_FULL", "All seats are taken.")
        seat = self.side.seat
        seat.identity = replace(seat.identity, owner=order.owner or "")
        self.owners[seat.identity.owner] = seat
        return TakenSeat(seat, "token")

    async def leave(self, seat: LiveSeat) -> None:
        self.left.append(seat)
        seat.close("left")

    def of_owner(self, owner: str) -> list[LiveSeat]:
        return [seat for name, seat in self.owners.items() if name == owner]

    async def match(self, room_id: str) -> Match:
        if room_id != "room":
            raise UnknownRoom("no such room")
        return self.side.seat.match

    async def rooms(self) -> list[RoomSummary]:
        return [
            RoomSummary(
                room_id="room",
                table_id="room",
                game_type=KUHN,
                table_agent_card_url="http://127.0.0.1:1/card",
                status="running",
                hand_count=0,
                player_count=2,
            )
        ]

    async def room(self, room_id: str) -> RoomSnapshot:
        if room_id != "room":
            raise UnknownRoom("no such room")
        return snapshot(status="running")

    async def create_room(self, order: Json) -> RoomSummary:
        """Refuse, as the lobby does."""
        raise SeatRefused("INVALID_REQUEST", f"config: is missing, got {sorted(order)}", 400)

    async def games(self) -> list[ListedGame]:
        game = {
            "gameType": KUHN,
            "name": "Kuhn poker",
            "category": "card",
            "gameModel": self.game_model,
            "players": {"min": 2, "max": 2},
            "specVersion": "1.1.0",
            "schemaFormat": "json-schema",
        }
        return [ListedGame.model_validate(game)]

    async def specification(self, game_type: str) -> tuple[str, str] | None:
        return ("---\ngameType: kuhn_poker\n---\n", "1.1.0") if game_type == KUHN else None


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


class A2gSide:
    """The served protocol, its only seat, and its clocks."""

    def __init__(self, seats: OneRoom, port: int, http: httpx.AsyncClient) -> None:
        self.seats = seats
        self.side = seats.side
        self.port = port
        self.http = http
        self.ahead = timedelta()

    @property
    def seat(self) -> LiveSeat:
        return self.side.seat

    def wall(self) -> datetime:
        """Return the time of the day, which a test moves by `ahead`."""
        return datetime.now(UTC) + self.ahead

    async def guest(self, name: str = "Ada") -> str:
        reply = await self.http.post("/api/auth/guest", json={"displayName": name})
        assert reply.status_code == 200, reply.text
        token: str = reply.json()["token"]
        return token

    async def seated(self, name: str = "Ada") -> str:
        """Return the token of a new guest that has the seat."""
        token = await self.guest(name)
        reply = await self.post("/api/rooms/room/join", token, {})
        assert reply.status_code == 200, reply.text
        return token

    async def asked(self, client: Client, number: int = 1) -> tuple[Json, asyncio.Task[Any]]:
        """Let the table ask; returns the request that the client got, and the table's call."""
        call = asyncio.create_task(self.seat.ask(request(number)))
        return await client.until("game_action_request"), call

    async def get(self, path: str, token: str | None, **fields: Any) -> httpx.Response:
        """Send a GET."""
        return await self.http.get(path, headers=bearer(token), **fields)

    async def post(self, path: str, token: str | None, body: Json) -> httpx.Response:
        return await self.http.post(path, headers=bearer(token), json=body)

    @asynccontextmanager
    async def client(self, path: str = "/ws", **fields: Any) -> AsyncIterator[Client]:
        url = f"ws://127.0.0.1:{self.port}{path}"
        async with websockets.connect(url, max_size=None, **fields) as socket:
            yield Client(socket)


def bearer(token: str | None) -> dict[str, str]:
    return {} if token is None else {"Authorization": f"Bearer {token}"}


@asynccontextmanager
async def a2g_side(
    folder: Path,
    limits: A2gLimits | None = None,
    *,
    side: SeatSide | None = None,
    game_model: str = "turn_based",
    owners: Sequence[str] = (),
) -> AsyncIterator[A2gSide]:
    """Serve A2G; `owners` have the seat from the start, as after a restart of the gateway."""
    seats = OneRoom(side or SeatSide(), game_model)
    seats.owners = dict.fromkeys(owners, seats.side.seat)
    database = gateway_database(folder / "gateway.db")
    await database.open()
    ahead: list[A2gSide] = []
    clocks = Clocks(
        wall=lambda: ahead[0].wall() if ahead else datetime.now(UTC),
        monotonic=seats.side.clock.now,
    )
    a2g = A2g(
        seats, database, replace(limits or A2gLimits(), hold=0.0), "http://casino.test", clocks
    )
    service = Service({}, routes=a2g_routes(a2g), websockets=WebSocketLimits())
    try:
        async with a2g.running(), listening(service, DEFAULT_LIMITS) as port:
            base = f"http://127.0.0.1:{port}"
            async with httpx.AsyncClient(base_url=base, timeout=20) as http:
                ahead.append(A2gSide(seats, port, http))
                yield ahead[0]
    finally:
        await database.close()
