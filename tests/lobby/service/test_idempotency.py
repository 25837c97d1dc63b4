"""The same `requestId` gets the same answer, and nothing is done twice."""

import asyncio
from functools import partial

from casino_contracts import (
    CreateRoomInput,
    NoInput,
    RegisteredPlayer,
    RegisterPlayerInput,
    RoomList,
    RoomSnapshot,
    StartRoomInput,
    TableSummary,
)
from casino_lobby.store import MemoryStore
from casino_lobby.store.stored_commands import MemoryCommands
from support.casino.casino_side import LOBBY, CasinoHarness, Operator
from support.processes import eventually
from support.table.table_side import CONFIG, SOON


async def test_a_repeated_command_is_executed_once(network: CasinoHarness) -> None:
    lobby = await network.a2a().resolve(LOBBY, timeout=SOON)
    create = CreateRoomInput.model_validate(
        {"config": CONFIG, "tableAgentCardUrl": network.table_card(), "requestId": "c"}
    )
    rooms = [await lobby.call("createRoom", create, RoomSnapshot, timeout=SOON) for _ in "12"]
    assert rooms[0].room_id == rooms[1].room_id
    for name in ("ada", "bob"):
        card = network.player(name)
        register = RegisterPlayerInput(
            room_id=rooms[0].room_id, agent_card_url=card, request_id=name
        )
        seats = await asyncio.gather(
            *(
                lobby.call("registerPlayer", register, RegisteredPlayer, timeout=SOON)
                for _ in range(3)
            )
        )
        assert len({seat.seat_number for seat in seats}) == 1
        assert len(network.players[name].invited) == 1
    start = StartRoomInput(room_id=rooms[0].room_id, request_id="s")
    for _ in range(2):
        summary = await lobby.call("startRoom", start, TableSummary, timeout=SOON)
        assert summary.status == "running"
    listed = await lobby.call("listRooms", NoInput(), RoomList, timeout=SOON)
    assert len(listed.rooms) == 1
    assert listed.rooms[0].player_count == 2


class LossyCommands(MemoryCommands):
    """Keep no answers while `is_ending`, as if the lobby had ended before it could."""

    is_ending = False

    async def finish(self, key: str, answer: str) -> None:
        if not self.is_ending:
            await super().finish(key, answer)


async def test_a_player_that_was_seated_before_a_crash_is_not_seated_again() -> None:
    """The resumed command returns the seat, even if the player agent is unreachable by then."""
    store, commands = MemoryStore(1000), LossyCommands()
    store.commands = commands
    network = CasinoHarness(store=store)
    async with network.tables.running(), network.lobby.running():
        operator = Operator(network)
        await operator.open()
        body, key = {"agentCardUrl": network.player("ada")}, {"Idempotency-Key": "k"}
        path = "/v1/rooms/r1/players"
        commands.is_ending = True
        first = await operator.http.post(path, json=body, headers=key)
        assert first.status_code == 201
        assert [command.name for command in await store.commands.pending()] == ["registerPlayer"]
        commands.is_ending = False

        async def is_resumed() -> bool:
            return not await store.commands.pending()

        restarted = CasinoHarness(store=store)
        restarted.transport.apps["http://tables"] = network.transport.apps["http://tables"]
        async with restarted.lobby.running():
            await eventually(is_resumed)
            again = await restarted.http().post(path, json=body, headers=key)
            assert again.json() == first.json()
            summary = (await Operator(restarted).room()).summary
            assert summary is not None
            assert [seat.player_id for seat in summary.players] == ["player-1"]


async def test_a_repeated_release_of_a_seat_gets_the_first_reply(network: CasinoHarness) -> None:
    network.player("ada")
    operator = Operator(network)
    await operator.open()
    await operator.seat("ada")
    path, key = "/v1/rooms/r1/players/player-1", {"Idempotency-Key": "k"}
    first = await operator.http.delete(path, headers=key)
    assert first.status_code == 202
    await eventually(partial(is_empty, operator))
    assert (await operator.http.delete(path, headers=key)).json() == first.json()
    assert (await operator.http.delete(path)).status_code == 404


async def test_a_player_that_was_released_before_a_crash_has_left() -> None:
    store, commands = MemoryStore(1000), LossyCommands()
    store.commands = commands
    network = CasinoHarness(store=store)
    network.player("ada")
    async with network.tables.running(), network.lobby.running():
        operator = Operator(network)
        await operator.open()
        await operator.seat("ada")
        path, key = "/v1/rooms/r1/players/player-1", {"Idempotency-Key": "k"}
        commands.is_ending = True
        assert (await operator.http.delete(path, headers=key)).status_code == 202
        await eventually(partial(is_empty, operator))
        commands.is_ending = False
        restarted = CasinoHarness(store=store)
        restarted.transport.apps["http://tables"] = network.transport.apps["http://tables"]
        async with restarted.lobby.running():
            again = await restarted.http().delete(path, headers=key)
            assert again.status_code == 202
            assert again.json().get("players", []) == []


async def is_empty(operator: Operator) -> bool:
    summary = (await operator.room()).summary
    return summary is not None and not summary.players
