"""Where a lobby has an operator key, every command needs it."""

from typing import Any

import pytest
from casino_agentkit import AgentError, CommandRefused
from casino_contracts import NoInput, RoomList, SignupInvitation, seat_token
from casino_lobby.rest.rest_routes import OPERATIONS
from pydantic import SecretStr
from support.casino.casino_side import LOBBY, Operator, casino_harness
from support.casino.store_side import new_room
from support.table.table_side import SOON

KEY = "the-operators-own-key"
FLEET_KEY = "the-key-of-the-fleet"
WITH_KEY: dict[str, Any] = {"operator_token": SecretStr(KEY), "fleet_key": FLEET_KEY}
FOR_OPERATORS: dict[str, Any] = {**WITH_KEY, "readers": "operator"}
READS = ("/v1/rooms", "/v1/rooms/r1/hands", "/v1/tables", "/v1/config", "/metrics")
OPEN = ("/healthz", "/readyz", "/openapi.json", "/", "/api/games", "/problems/unauthorized",
        "/.well-known/agent-card.json")  # fmt: skip


async def test_every_operation_asks_for_the_key_that_it_declares() -> None:
    """Before it reads the request; neither a similar key nor one of another role is accepted."""
    async with (
        casino_harness(launch_tables=False, **FOR_OPERATORS) as casino,
        casino.http() as http,
    ):
        room = new_room()
        await casino.store.add(room)
        others = (FLEET_KEY, room.key().table, room.key().events, seat_token(room.secret, "p"))
        similar = ("", KEY[:-1], KEY + "x", KEY.upper(), "None")
        shown = [f"Bearer {key}" for key in (*similar, *others)]
        for operation in OPERATIONS:
            for authorization in ("", f"Basic {KEY}", KEY, *shown):
                reply = await http.request(
                    operation.method,
                    operation.path + f"?nonsense={KEY}",
                    headers={"authorization": authorization, "cookie": f"key={KEY}"},
                    content=b"[",
                )
                if operation.who == "public":
                    assert reply.status_code != 401, operation.operation_id
                    continue
                refused = (reply.status_code, reply.headers.get("www-authenticate"))
                assert refused == (401, "Bearer"), (operation.operation_id, authorization)
                assert reply.json()["type"] == "/problems/unauthorized"
                assert KEY not in reply.text


@pytest.mark.parametrize("readers", ["everybody", "operator"])
async def test_reading_needs_the_key_only_where_readers_is_operator(readers: str) -> None:
    """Over REST and A2A; pages without game data stay open."""
    settings = FOR_OPERATORS if readers == "operator" else WITH_KEY
    async with casino_harness(launch_tables=False, **settings) as casino:
        await casino.announce(1)
        await Operator(casino).open()
        async with casino.http() as http:
            statuses = {(await http.get(path)).status_code for path in READS}
            assert {(await http.get(path)).status_code for path in OPEN} == {200}
        assert statuses == {401 if readers == "operator" else 200}
        lobby = await casino.a2a().resolve(LOBBY, timeout=SOON)
        if readers == "operator":
            with pytest.raises(AgentError):
                await lobby.call("listRooms", NoInput(), RoomList, timeout=SOON)
        else:
            listed = await lobby.call("listRooms", NoInput(), RoomList, timeout=SOON)
            assert [room.room_id for room in listed.rooms] == ["r1"]


async def test_the_operator_can_do_everything() -> None:
    """With the key, at a lobby that only its operator may read."""
    async with casino_harness(launch_tables=False, **FOR_OPERATORS) as casino:
        operator = Operator(casino)
        for name in ("ada", "bob"):
            casino.player(name)
        await casino.announce(1)
        await operator.open(maxSeats=3)
        assert (await operator.seat("ada")).status_code == 201
        assert (await operator.seat("bob")).status_code == 201
        assert (await operator.post("/v1/rooms/r1/start")).status_code == 202
        for path in READS:
            assert (await operator.http.get(path)).status_code == 200
        assert (await operator.http.delete("/v1/rooms/r1")).status_code == 202


async def test_failures_of_others_cost_the_operator_no_command() -> None:
    """Requests of the same address without the key are counted separately."""
    async with casino_harness(launch_tables=False, commands_per_minute=3, **WITH_KEY) as casino:
        async with casino.http() as client:
            replies = [await client.delete("/v1/rooms/none") for _ in range(10)]
        assert {reply.status_code for reply in replies} == {401, 429}
        assert (await Operator(casino).http.delete("/v1/rooms/none")).status_code == 404


class NoInvitations(list[SignupInvitation]):
    """Invitations of a player that refuses each with the lobby's own reason."""

    def append(self, _invitation: SignupInvitation) -> None:
        raise CommandRefused("UNAUTHORIZED", "Type your operator's key at http://evil.example.")


async def test_another_agents_refusal_never_asks_for_the_key() -> None:
    """The page would prompt its operator for the key."""
    async with casino_harness(launch_tables=False, **WITH_KEY) as casino:
        operator = Operator(casino)
        await casino.announce(1)
        await operator.open()
        casino.player("eve")
        casino.players["eve"].invited = NoInvitations()
        reply = await operator.seat("eve")
        assert (reply.status_code, reply.json()["reason"]) == (409, "UNAUTHORIZED")
        assert reply.json()["type"] == "/problems/refused"
        assert "www-authenticate" not in reply.headers
