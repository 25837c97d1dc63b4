"""What one address can use of a lobby is bounded, and others are still served.

Every attack says whether it succeeded, and runs against a lobby without the limit as well, where it
does. `bench/flood.py` runs them at their full size against a real process.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, NamedTuple

import pytest
from casino.attack.attack_traffic import AttackAddress, connected, head
from casino_agentkit import Caller, LargeBody
from casino_agentkit.server.call_execution import CallMetrics
from casino_agentkit.server.fast_path import FastPath
from casino_agentkit.server.request_guard import BodyLimits
from casino_agentkit.server.server_limits import DEFAULT_LIMITS
from casino_lobby.app import build_app
from casino_lobby.domain.room import Room
from casino_lobby.settings import LobbySettings
from casino_lobby.store import MemoryStore
from prometheus_client import CollectorRegistry
from starlette.types import Message
from support.attack import lobby_attacks as attacks
from support.casino.casino_side import CasinoHarness, Operator
from support.casino.store_side import EventFactory, new_room
from support.in_process import InProcessTransport
from support.listening import listening
from support.processes import eventually

KEY = "the-operator-s-key"
ANY: dict[str, Any] = {
    "commands_per_minute": 0,
    "streams_per_address": 0,
    "announced_tables": 10**6,
    "announced_tables_per_origin": 10**6,
    "rooms": 10**6,
}
"""Settings without limits, as far as they can be."""


class Place(NamedTuple):
    """A lobby that listens, and its room."""

    target: AttackAddress
    room: Room
    store: MemoryStore


@asynccontextmanager
async def lobby(events: int = 0, **settings: Any) -> AsyncIterator[Place]:
    """Serve a lobby with one room whose table is stopped."""
    store, room = MemoryStore(50_000), new_room()
    given = LobbySettings.model_validate({"launch_tables": False, **settings})
    clock = asyncio.get_running_loop().time
    transport = InProcessTransport()
    service = build_app(given, "http://lobby", transport=transport, store=store, clock=clock)
    await store.add(room)
    factory = EventFactory(room)
    for _ in range(events // 1_000):
        await store.record(room, factory.some(1_000))
    async with listening(service, DEFAULT_LIMITS) as port:
        yield Place(AttackAddress(port), room, store)


Attack = Callable[[Place], Awaitable[bool]]
PAGE = "/v1/rooms/r1/events?limit=5000"


async def reads_without_end(place: Place, method: str) -> bool:
    """Read what is expensive for the lobby; tells whether it was answered each time."""
    return await attacks.get_many(place.target, PAGE, 8, method=method) == {200: 8}


ATTACKS: dict[str, tuple[Attack, dict[str, Any], dict[str, Any]]] = {
    "take all streams": (
        lambda place: attacks.take_all_streams(place.target, 30),
        {"stream_clients": 30},
        {"stream_clients": 30, "streams_per_address": 0},
    ),
    "take the operator's streams": (
        lambda place: attacks.take_the_operators_streams(place.target, 20, KEY),
        {"stream_clients": 20, "operator_token": KEY},
        {"stream_clients": 20},  # nobody is the operator
    ),
    "command without end": (
        lambda place: attacks.command_without_end(place.target, 60),
        {"commands_per_minute": 50},
        ANY,
    ),
    **{
        f"read without end by {method}": (
            partial(reads_without_end, method=method),
            {"commands_per_minute": 10, "events": 2_000},
            {**ANY, "events": 2_000},
        )
        for method in ("GET", "HEAD")
    },
    "put tables out": (lambda place: attacks.put_tables_out(place.target, 700), {}, ANY),
}


class TestOneAddress:
    @pytest.mark.parametrize("name", ATTACKS)
    async def test_only_the_limit_refuses_the_attack(self, name: str) -> None:
        """Another address is answered meanwhile and afterwards, by all interfaces."""
        attack, limited, without = ATTACKS[name]
        async with lobby(**without) as place:
            assert await attack(place)
        async with lobby(**limited) as place:
            assert not await attack(place)
            other = AttackAddress(place.target.port, attacks.OTHER)
            key = limited.get("operator_token", "")
            assert await attacks.get_once(other, "/v1/rooms") == 200
            assert await attacks.get_once(other, "/readyz") == 200
            assert await attacks.call_once(other, "listRooms", {}, key=key) == "ok"

    async def test_the_operator_is_not_counted(self) -> None:
        async with lobby(events=5_000, commands_per_minute=5, operator_token=KEY) as place:
            assert (await attacks.get_many(place.target, PAGE, 5))[429] > 0
            assert (await attacks.get_many(place.target, PAGE, 5, key=KEY))[200] == 5
            for _ in range(20):
                assert await attacks.call_once(place.target, "listRooms", {}, key=KEY) == "ok"
            async with attacks.streams_of(place.target, 25, key=KEY) as opened:
                assert opened == 25

    async def test_a_wrong_key_is_counted(self) -> None:
        """Refusals cost as much as answers."""
        async with lobby(commands_per_minute=5, operator_token=KEY) as place:
            outcomes = [
                await attacks.call_once(place.target, "startRoom", {"roomId": "r1"}, key="wrong")
                for _ in range(8)
            ]
            assert outcomes == ["FORBIDDEN"] * 5 + ["TOO_MANY_REQUESTS"] * 3

    async def test_a_stream_of_old_events_is_slowed_to_the_limit(self) -> None:
        for is_slow, commands in ((False, 0), (True, 2)):
            async with (
                lobby(events=6_000, commands_per_minute=commands) as place,
                connected(place.target) as connection,
            ):
                await connection.send(head("GET /v1/stream?after=0"))
                bell = asyncio.ensure_future(asyncio.sleep(3))
                read = b""
                while read.count(b"event: table_event") < 6_000:
                    read += await connection.next_bytes()
                assert bell.done() == is_slow
                bell.cancel()


async def is_closed(operator: Operator) -> bool:
    return (await operator.room("r1")).state == "closed"


async def test_a_closed_room_leaves_lists_and_streams() -> None:
    """After a time in which it can be read."""
    casino = CasinoHarness(closed_rooms_kept="1s")
    async with casino.tables.running(), casino.lobby.running():
        operator = Operator(casino)
        await operator.open()
        await operator.http.delete("/v1/rooms/r1")
        await eventually(lambda: is_closed(operator))
        while (await operator.http.get("/v1/rooms/r1")).status_code == 200:
            casino.time += 0.5
            await asyncio.sleep(0.05)
        assert (await operator.http.get("/v1/rooms")).json()["rooms"] == []
        assert casino.store.rooms() == []


class Piece(bytes):
    """Bytes that count how many of them are copied to add others."""

    copied = 0

    def __add__(self, more: Any) -> "Piece":
        Piece.copied += len(self)
        return Piece(bytes(self) + more)


async def test_a_body_is_not_copied_with_every_chunk() -> None:
    pieces = [Piece(b"x" * 90_000), *[Piece(b"x")] * 50]

    async def receive() -> Message:
        return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces)}

    async def app(*_given: object) -> None:
        """Answer nothing."""

    Piece.copied = 0
    assert Piece(b"ab") + b"c" == b"abc"
    assert Piece.copied == 2
    limits = BodyLimits({}, {"/": LargeBody(100_000, lambda _sender: True)})
    front = FastPath({}, app, CallMetrics(CollectorRegistry()), limits)
    body = await front._body(receive, {"path": "/", "headers": ()}, Caller())
    assert body is not None
    assert len(body) == 90_050
    assert Piece.copied == 2


async def test_each_turn_of_the_event_loop_begins_one_request() -> None:
    """However many wait, and though some of them disconnect: a plain call waits for one at most."""
    turn, begun = 0, dict[str, int]()

    async def count() -> None:
        nonlocal turn
        while True:
            turn += 1
            await asyncio.sleep(0)

    async def app(scope: Any, _receive: Any, _send: Any) -> None:
        begun[scope["path"]] = turn

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    async def send(message: Message) -> None: ...

    front = FastPath({}, app, CallMetrics(CollectorRegistry()), BodyLimits({}, {}))
    counting = asyncio.create_task(count())
    paths = [f"/{number}" for number in range(20)]
    scopes = [{"type": "http", "method": "GET", "path": path, "headers": ()} for path in paths]
    requests = [asyncio.ensure_future(front(scope, receive, send)) for scope in scopes]
    await asyncio.sleep(0)
    requests[7].cancel()
    await asyncio.wait(requests)
    counting.cancel()
    assert list(begun) == [path for path in paths if path != "/7"]
    assert len(set(begun.values())) == 19
