"""A2G served over one real seat, in the loop and the time of the test, without a lobby."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import websockets
from casino_agentkit import Service, WebSocketLimits
from casino_agentkit.server.server_limits import DEFAULT_LIMITS
from casino_contracts import RoomSnapshot
from casino_gateway.a2g.a2g_codes import A2gLimits, Clocks
from casino_gateway.a2g.a2g_gateway import A2g
from casino_gateway.a2g.a2g_rest import a2g_routes
from casino_gateway.app import body_refusal
from casino_gateway.seats.listed_games import ListedGames
from casino_gateway.seats.live_seat import LiveSeat
from casino_gateway.store.gateway_schema import gateway_database

from support.gateway.a2g_client import Client, bearer, guest, join
from support.gateway.seat_side import Json, OneRoom, SeatSide, request
from support.listening import listening
from support.processes import PATIENCE_S


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
        return await guest(self.http, name)

    async def seated(self) -> str:
        """Return the token of a new guest that has the seat."""
        token = await self.guest()
        await join(self.http, "room", token)
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


@asynccontextmanager
async def a2g_side(
    folder: Path,
    limits: A2gLimits | None = None,
    *,
    side: SeatSide | None = None,
    game_model: str = "turn_based",
    owners: Sequence[str] = (),
    room: RoomSnapshot | None = None,
) -> AsyncIterator[A2gSide]:
    """Serve A2G; `owners` have the seat from the start, as after a restart of the gateway."""
    seats = OneRoom(side or SeatSide(), game_model, room)
    seats.owners = dict.fromkeys(owners, seats.side.seat)
    database = gateway_database(folder / "gateway.db")
    await database.open()
    ahead: list[A2gSide] = []
    clocks = Clocks(
        wall=lambda: ahead[0].wall() if ahead else datetime.now(UTC),
        monotonic=seats.side.clock.now,
    )
    games = ListedGames(seats, clocks.monotonic)
    a2g = A2g(
        seats,
        database,
        games,
        replace(limits or A2gLimits(), hold=0.0),
        "http://casino.test",
        clocks,
    )
    service = Service(
        {}, routes=a2g_routes(a2g), websockets=WebSocketLimits(), body_refusal=body_refusal
    )
    try:
        async with a2g.running(), listening(service, DEFAULT_LIMITS) as port:
            base = f"http://127.0.0.1:{port}"
            # A server lets go of a connection on which nothing comes while a test moves the time.
            unkept = httpx.Limits(max_keepalive_connections=0)
            async with httpx.AsyncClient(base_url=base, timeout=PATIENCE_S, limits=unkept) as http:
                ahead.append(A2gSide(seats, port, http))
                yield ahead[0]
    finally:
        await database.close()


@asynccontextmanager
async def seated_client(
    folder: Path, limits: A2gLimits | None = None, *, game_model: str = "turn_based"
) -> AsyncIterator[tuple[A2gSide, Client]]:
    """Serve A2G to a guest that has the seat, and is signed in."""
    async with a2g_side(folder, limits, game_model=game_model) as side:
        token = await side.seated()
        async with side.client() as client:
            await client.sign_in(token)
            yield side, client
