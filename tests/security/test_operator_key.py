"""Where a lobby has an operator key, every command needs it.

Every attack is carried out twice: with the key set it fails, without one it succeeds.
"""

from importlib.util import find_spec
from typing import Any

import pytest
from casino_agentkit import CommandRefused
from casino_contracts import SignupInvitation
from casino_lobby.rest.operation import Operation
from casino_lobby.rest.operations import OPERATIONS
from pydantic import SecretStr
from support.attack.operator_attacks import (
    A2A_COMMANDS,
    COMMANDS,
    KEY,
    READS,
    Attack,
    a2a_list_rooms,
    succeeds,
)
from support.casino.casino_side import Operator, casino_harness

WITH_KEY: dict[str, Any] = {"operator_token": SecretStr(KEY)}
FOR_OPERATORS: dict[str, Any] = {**WITH_KEY, "readers": "operator"}
rules_of_entrypoints = pytest.mark.skipif(
    find_spec("casino_agentkit.authority") is None, reason="entrypoints have no rules yet"
)


@pytest.mark.parametrize("attack", COMMANDS)
class TestCommands:
    async def test_with_a_key_it_is_refused(self, attack: Attack) -> None:
        """Without an authorization header."""
        assert not await succeeds(attack, **WITH_KEY)

    async def test_without_one_it_succeeds(self, attack: Attack) -> None:
        """The key is what refuses it."""
        assert await succeeds(attack)


@pytest.mark.parametrize("attack", A2A_COMMANDS)
class TestCommandsOfAgents:
    """The same commands over A2A."""

    @rules_of_entrypoints
    async def test_with_a_key_it_is_refused(self, attack: Attack) -> None:
        """Without a token."""
        assert not await succeeds(attack, **WITH_KEY)

    async def test_without_one_it_succeeds(self, attack: Attack) -> None:
        """The key is what refuses it."""
        assert await succeeds(attack)


@pytest.mark.parametrize("attack", READS)
class TestReaders:
    """The setting of who may read."""

    async def test_reading_needs_the_key_where_readers_is_operator(self, attack: Attack) -> None:
        """The lobby answers nobody else."""
        assert not await succeeds(attack, **FOR_OPERATORS)

    async def test_everybody_may_read_by_default(self, attack: Attack) -> None:
        """Also where commands need the key."""
        assert await succeeds(attack, **WITH_KEY)


@rules_of_entrypoints
async def test_reading_over_a2a_follows_the_same_setting() -> None:
    """With and without readers=operator."""
    assert not await succeeds(a2a_list_rooms, **FOR_OPERATORS)
    assert await succeeds(a2a_list_rooms, **WITH_KEY)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.operation_id)
async def test_every_operation_asks_for_the_key_that_it_declares(operation: Operation) -> None:
    """Before it reads the request; no similar key is accepted."""
    shown = [f"Bearer {key}" for key in ("", KEY[:-1], KEY + "x", KEY.upper(), "None")]
    async with (
        casino_harness(launch_tables=False, **FOR_OPERATORS) as casino,
        casino.http() as http,
    ):
        for authorization in ("", f"Basic {KEY}", KEY, *shown):
            reply = await http.request(
                operation.method,
                operation.path + f"?nonsense={KEY}",
                headers={"authorization": authorization, "cookie": f"key={KEY}"},
                content=b"[",
            )
            if operation.who == "public":
                assert reply.status_code != 401
                continue
            assert (reply.status_code, reply.headers["www-authenticate"]) == (401, "Bearer")
            assert reply.json()["type"] == "/problems/unauthorized"
            assert KEY not in reply.text


@pytest.mark.parametrize(
    "path", ["/healthz", "/readyz", "/openapi.json", "/", "/api/games", "/problems/unauthorized"]
)
async def test_pages_without_game_data_stay_open(path: str) -> None:
    """Health, document, page and agent card."""
    async with (
        casino_harness(launch_tables=False, **FOR_OPERATORS) as casino,
        casino.http() as http,
    ):
        assert (await http.get(path)).status_code == 200
        assert (await http.get("/.well-known/agent-card.json")).status_code == 200


async def test_the_operator_can_do_everything() -> None:
    """With the key, at a lobby that only its operator may read."""
    async with casino_harness(launch_tables=False, **FOR_OPERATORS) as casino:
        operator = Operator(casino)
        for name in ("ada", "bob"):
            casino.player(name)
        await operator.open(maxSeats=3)
        assert (await operator.seat("ada")).status_code == 201
        assert (await operator.seat("bob")).status_code == 201
        assert (await operator.post("/v1/rooms/r1/start")).status_code == 202
        for path in ("/v1/rooms", "/v1/rooms/r1/hands", "/metrics", "/v1/config"):
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
        await operator.open()
        casino.player("eve")
        casino.players["eve"].invited = NoInvitations()
        reply = await operator.seat("eve")
        assert (reply.status_code, reply.json()["reason"]) == (409, "UNAUTHORIZED")
        assert reply.json()["type"] == "/problems/refused"
        assert "www-authenticate" not in reply.headers
