"""A registration whose end is unknown is undone, so that no seat is left without an owner."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path

import httpx
import pytest
from casino_agentkit import CommandRefused, HostedAgents
from casino_agentkit.process.background_tasks import BackgroundTasks
from casino_contracts import RegisteredPlayer, TableSummary, WireModel
from casino_gateway.seats.registration import Registration
from casino_gateway.seats.seat_index import SeatPlace
from casino_gateway.store.gateway_schema import gateway_database
from casino_gateway.store.seat_rows import SeatRows, StoredSeat
from casino_lobby_client.errors import CallRefused, LobbyAway
from casino_lobby_client.lobby_client import LobbyClient
from support.gateway.seat_side import INVITATION

STORED = StoredSeat(
    "seat-1",
    "room",
    "Ada",
    "human",
    "ada",
    "",
    b"1" * 32,
    datetime(2026, 1, 1),  # noqa: DTZ001  as SQLite keeps it
    50.0,
    3,
)
REGISTERED = RegisteredPlayer(
    room_id="room", player_id="p1", seat_number=3, display_name="Ada 2", stack=50
)

LEFT = TableSummary(table_id="room", status="waiting", hand_count=0, players=())


class Lobby:
    """A lobby whose replies are scripted; it invites the seat before it answers."""

    def __init__(self, *replies: httpx.Response | httpx.HTTPError) -> None:
        self.calls: list[tuple[str, str, str | None]] = []
        self.orders: list[object] = []
        self.place: SeatPlace | None = None
        self._replies = list(replies)

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        key = request.headers.get("idempotency-key")
        self.calls.append((request.method, request.url.path, key))
        if request.method == "POST":
            self.orders.append(json.loads(request.content))
            if self.place is not None:
                accepted = await self.place.signup(INVITATION)
                assert (accepted.buy_in, accepted.player_type) == (50, "human")
                assert accepted.clock_ms == 30_000
        reply = self._replies.pop(0)
        if isinstance(reply, httpx.HTTPError):
            raise reply
        return reply


@asynccontextmanager
async def registering(
    path: Path, lobby: Lobby
) -> AsyncIterator[tuple[Registration, SeatPlace, HostedAgents]]:
    """Yield a registration over a real database, and a place to register."""
    database = gateway_database(path / "gateway.db")
    await database.open()
    http = httpx.AsyncClient(transport=httpx.MockTransport(lobby), base_url="http://lobby")
    client = LobbyClient(http, seating=timedelta(seconds=5))
    hosted, tasks = HostedAgents("/seats"), BackgroundTasks()

    async def sleep(_seconds: float) -> None:
        await asyncio.sleep(0)

    rows = SeatRows(database)
    registration = Registration(client, rows, hosted, "http://gateway", tasks, sleep)
    try:
        yield registration, SeatPlace(STORED, timedelta(seconds=30)), hosted
    finally:
        await tasks.end()
        await http.aclose()
        await database.close()


def ok(message: WireModel) -> httpx.Response:
    return httpx.Response(201, content=message.wire())


async def test_a_seat_is_invited_once_while_it_is_registered(tmp_path: Path) -> None:
    """With its buy-in and clock; before and after, an invitation is refused."""
    lobby = Lobby(ok(REGISTERED))
    async with registering(tmp_path, lobby) as (registration, place, hosted):
        with pytest.raises(CommandRefused):
            await place.signup(INVITATION)
        lobby.place = place
        await registration.register(place)
        with pytest.raises(CommandRefused):
            await place.signup(INVITATION)
        assert len(hosted) == 1
        assert lobby.calls == [("POST", "/v1/rooms/room/players", "seat-1")]
        card = "http://gateway/seats/seat-1/.well-known/agent-card.json"
        assert lobby.orders == [{"agentCardUrl": card, "preferredSeat": 3}]
        assert (place.stored.player_id, place.stored.display_name) == ("p1", "Ada 2")
        assert place.stored.table_id == "table"
        assert place.stored.table_token_digest is not None


async def test_a_refused_seat_leaves_nothing(tmp_path: Path) -> None:
    refusal = {"type": "/problems/room-full", "detail": "All seats are taken."}
    lobby = Lobby(httpx.Response(409, json=refusal))
    async with registering(tmp_path, lobby) as (registration, place, hosted):
        with pytest.raises(CallRefused, match="All seats are taken"):
            await registration.register(place)
        assert len(hosted) == 0
        assert await registration.rows.all() == []


@pytest.mark.parametrize("lost", [True, False])
async def test_a_seat_that_may_be_registered_is_given_back(tmp_path: Path, *, lost: bool) -> None:
    """With the same key the lobby says which it is; also after a crash of the gateway."""
    down = httpx.ConnectError("refused")
    lobby = Lobby(
        *([down] if lost else []), down, down, ok(REGISTERED), down, ok(REGISTERED), ok(LEFT)
    )
    async with registering(tmp_path, lobby) as (registration, place, hosted):
        if lost:
            with pytest.raises(LobbyAway):
                await registration.register(place)
        else:
            await registration.rows.add(STORED)
            registration.abandon(STORED)
        await registration.tasks.wait()
        assert len(hosted) == 0
        assert await registration.rows.all() == []
    posts = [key for method, _, key in lobby.calls if method == "POST"]
    assert set(posts) == {"seat-1"}
    assert lobby.calls[-1][:2] == ("DELETE", "/v1/rooms/room/players/p1")
