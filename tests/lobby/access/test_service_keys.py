"""The key of a service does what its scope says, over REST and over A2A, and nothing else."""

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from casino.attack.binding_calls import Depth
from casino_agentkit import ANYONE, Agent, service_key
from casino_contracts import SignupInvitation, SignupResponse
from casino_lobby.domain.room_limits import SERVICES
from support.attack.forged_calls import LOBBY
from support.casino.keyed_casino import OPERATOR_KEY, KeyedCasino, keyed_casino
from support.table.table_side import CONFIG, calling


def client(casino: KeyedCasino, service: str) -> httpx.AsyncClient:
    """Return a service's way to the lobby; of the operator, what services had before."""
    key = OPERATOR_KEY if service == "operator" else service_key(OPERATOR_KEY, service)
    return casino.http(key)


async def opened(casino: KeyedCasino, http: httpx.AsyncClient, room_id: str, **more: Any) -> int:
    table = casino.table_card(1 if room_id == "r1" else 2)
    body = {"roomId": room_id, "tableAgentCardUrl": table, "config": CONFIG, **more}
    return (await http.post("/v1/rooms", json=body)).status_code


async def seated(http: httpx.AsyncClient, room_id: str, name: str, **more: Any) -> httpx.Response:
    body = {"agentCardUrl": f"http://{name}/.well-known/agent-card.json"}
    return await http.post(f"/v1/rooms/{room_id}/players", json=body, **more)


@pytest.mark.parametrize("holder", ["gateway", "operator"])
async def test_a_gateway_seats_nobody_among_the_invited(holder: str) -> None:
    """With the operator's key, which it had before, whoever comes to it took such a seat."""
    async with keyed_casino() as casino:
        casino.player("ada", calling)
        assert await opened(casino, client(casino, "evaluator"), "r1", seats="invited") == 201
        listed = (await casino.operator().http.get("/v1/rooms")).json()["rooms"]
        assert [room["seats"] for room in listed] == ["invited"]
        reply = await seated(client(casino, holder), "r1", "ada")
        assert reply.status_code == (403 if holder == "gateway" else 201), reply.text
        if holder == "gateway":
            assert "gateway may not registerPlayer in room r1" in reply.json()["detail"]
            assert (await seated(client(casino, "evaluator"), "r1", "ada")).status_code == 201


COMMANDS: dict[str, Callable[[httpx.AsyncClient], Any]] = {
    "startRoom": lambda http: http.post("/v1/rooms/r1/start", json={}),
    "leaveRoom": lambda http: http.delete("/v1/rooms/r1/players/player-1"),
    "deleteRoom": lambda http: http.delete("/v1/rooms/r1"),
    "closeRoom": lambda http: http.post("/v1/rooms/r1/close", json={}),
    "publishMatch": lambda http: http.put("/v1/matches/m", json={}),
    "deleteMatch": lambda http: http.delete("/v1/matches/m"),
    "handRecord": lambda http: http.get("/v1/rooms/r1/hands/1/record"),
}


@pytest.mark.parametrize("service", SERVICES)
async def test_a_service_commands_no_room_of_the_operators(service: str) -> None:
    """Open seats are all that some of them get; hidden cards nobody's but the operator's."""
    allowed = {"dealer": {"startRoom"}, "match": {"publishMatch"}}.get(service, set())
    async with keyed_casino() as casino:
        for name in ("ada", "bob", "cleo"):
            casino.player(name, calling)
        operator, http = casino.operator(), client(casino, service)
        await operator.open("r1", 1)
        for name in ("ada", "bob"):
            assert (await operator.seat(name)).status_code == 201
        for command, send in COMMANDS.items():
            reply = await send(http)
            assert (reply.status_code in {401, 403}) is (command not in allowed), command
        takes_seats = service in {"gateway", "dealer"}
        reply = await seated(http, "r1", "cleo")
        assert reply.status_code == (201 if takes_seats else 403)
        if takes_seats:
            own = f"/v1/rooms/r1/players/{reply.json()['playerId']}"
            assert (await http.delete(own)).status_code == 202
        token = service_key(OPERATOR_KEY, service)
        for skill in (
            "registerPlayer",
            "leaveRoom",
            *(() if "startRoom" in allowed else ("startRoom",)),
        ):
            data = {"roomId": "r1", "playerId": "player-1", "agentCardUrl": "http://cleo/"}
            sent = await casino.call(LOBBY, skill, data, token)
            is_refused = sent.reason == "OPERATOR_ONLY" and sent.depth is not Depth.ANSWERED
            assert is_refused is not (skill == "registerPlayer" and takes_seats), skill


async def test_a_request_id_is_of_its_sender() -> None:
    """A service that repeats the operator's gets no answer of the operator's."""
    async with keyed_casino() as casino:
        casino.player("ada", calling)
        casino.player("bob", calling)
        await casino.operator().open("r1", 1)
        key = {"idempotency-key": "the same"}
        first = await seated(casino.operator().http, "r1", "ada", headers=key)
        other = await seated(client(casino, "gateway"), "r1", "bob", headers=key)
        again = await seated(client(casino, "gateway"), "r1", "bob", headers=key)
        assert (first.status_code, other.status_code) == (201, 201)
        assert other.json()["playerId"] == again.json()["playerId"] != first.json()["playerId"]


async def test_a_service_has_so_many_commands_in_progress() -> None:
    """The next one is refused at once, and the operator's is not."""
    async with keyed_casino() as casino:
        release, invited = asyncio.Event(), asyncio.Semaphore(0)
        slow = Agent("Slow", "Thinks about its invitation.", infers_skill=True)

        @slow.entrypoint("signup", who=ANYONE)
        async def signup(_invitation: SignupInvitation) -> SignupResponse:
            invited.release()
            await release.wait()
            return SignupResponse(display_name="Slow")

        for number in range(17):
            casino.agent(f"p{number}", slow)
        await casino.operator().open("r1", 1, maxSeats=10)
        http = client(casino, "gateway")
        calls = [asyncio.create_task(seated(http, "r1", f"p{number}")) for number in range(16)]
        for _ in calls:
            await invited.acquire()
        refused = await seated(http, "r1", "p16")
        assert refused.status_code == 429
        assert "gateway has 16 commands in progress" in refused.json()["detail"]
        assert refused.headers["retry-after"] == "1"
        assert await opened(casino, casino.operator().http, "r2") == 201
        release.set()
        await asyncio.gather(*calls)


@pytest.mark.parametrize("fleet_key", [None, "the-fleet-key-of-this-test"])
async def test_an_operator_key_alone_takes_no_announcements(fleet_key: str | None) -> None:
    """Whoever announces a table gets seeds and players: of a fleet, only with its key."""
    async with keyed_casino(fleet_key=fleet_key) as casino:
        card = {"agentCardUrl": "http://mallory/.well-known/agent-card.json"}
        for token in (None, "a-guess-of-the-fleet-key", service_key(OPERATOR_KEY, "gateway")):
            reply = await casino.call(LOBBY, "registerTable", card, token)
            assert reply.depth is Depth.DENIED
        tables = (await casino.operator().http.get("/v1/tables")).json()["tables"]
        assert "mallory" not in str(tables)
        assert bool(tables) is (fleet_key is not None)


async def test_the_last_free_table_is_the_operators() -> None:
    async with keyed_casino(tables=2) as casino:

        async def status(service: str, room_id: str) -> int:
            body = {"roomId": room_id, "config": CONFIG}
            return (await client(casino, service).post("/v1/rooms", json=body)).status_code

        assert await status("evaluator", "first") == 201
        assert await status("evaluator", "second") == 503
        assert await status("operator", "third") == 201
