"""Rooms open, start sessions, close and drain, with real tables in one process."""

import asyncio
from typing import Any

import pytest
from support.casino.casino_side import CasinoHarness, Operator
from support.casino.fleet_side import unhurried
from support.table.table_side import CONFIG


async def test_a_room_is_open_when_its_table_is_configured(operator: Operator) -> None:
    """The table's first event, sent before its reply, is recorded."""
    room = await operator.open()
    assert (room.table_id, room.game_type, room.state) == ("r1", "texas-holdem", None)
    assert room.table_base_url == "http://tables/tables/1"
    room = await operator.until(lambda room: room.events)
    assert room.events[0].payload == {"status": "waiting", "kind": "configured", "handCount": 0}
    assert room.config.seed is None


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"roomId": "r1"}, "ROOM_EXISTS"),
        ({"tableId": "r1"}, "TABLE_ID_TAKEN"),
        ({"table": 1}, "TABLE_IN_USE"),
    ],
)
async def test_ids_and_tables_of_open_rooms_are_refused(
    network: CasinoHarness, operator: Operator, change: dict[str, Any], reason: str
) -> None:
    await operator.open()
    table = change.pop("table", 2)
    body = {"roomId": "r2", "tableAgentCardUrl": network.table_card(table), "config": CONFIG}
    reply = await operator.post("/v1/rooms", {**body, **change})
    assert (reply.status_code, reply.json()["reason"]) == (409, reason)
    assert len((await operator.http.get("/v1/rooms")).json()["rooms"]) == 1


async def test_simultaneous_rooms_share_neither_id_nor_table(
    network: CasinoHarness, operator: Operator
) -> None:
    body = {"roomId": "r1", "config": CONFIG}
    replies = await asyncio.gather(
        *(
            operator.post("/v1/rooms", {**body, "tableAgentCardUrl": network.table_card(n)})
            for n in (1, 2, 3)
        ),
        operator.post(
            "/v1/rooms",
            {"roomId": "r4", "config": CONFIG, "tableAgentCardUrl": network.table_card(1)},
        ),
    )
    assert sorted(reply.status_code for reply in replies) in (
        [201, 409, 409, 409],
        [201, 201, 409, 409],
    )
    rooms = (await operator.http.get("/v1/rooms")).json()["rooms"]
    assert len({room["tableAgentCardUrl"] for room in rooms}) == len(rooms)


async def test_a_room_that_cannot_be_opened_is_removed(
    network: CasinoHarness, operator: Operator
) -> None:
    body = {"roomId": "r1", "tableAgentCardUrl": "http://nobody/", "config": CONFIG}
    reply = await operator.post("/v1/rooms", body)
    assert (reply.status_code, reply.json()["reason"]) == (502, "AGENT_UNREACHABLE")
    assert (await operator.http.get("/v1/rooms/r1")).status_code == 404
    player = network.player("ada")
    body["tableAgentCardUrl"] = player
    reply = await operator.post("/v1/rooms", body)
    assert reply.json()["reason"] == "AGENT_CONTRACT_VIOLATION"
    await operator.open()


async def test_a_room_without_an_id_gets_one(network: CasinoHarness, operator: Operator) -> None:
    body = {"tableAgentCardUrl": network.table_card(), "config": CONFIG}
    room = (await operator.post("/v1/rooms", body)).json()
    assert room["roomId"] == room["tableId"] == "room-1"


async def test_closing_completes_the_running_hand(
    network: CasinoHarness, operator: Operator
) -> None:
    await operator.open(maxSeats=2, maxHands=100_000)
    for name in ("ada", "bob"):
        network.player(name, unhurried)
        await operator.seat(name)
    await operator.until(lambda room: room.summary and room.summary.hand_count)
    reply = await operator.http.delete("/v1/rooms/r1")
    assert (reply.status_code, reply.json()["state"]) == (202, "closing")
    again = await operator.seat("ada")
    assert (again.status_code, again.json()["reason"]) == (409, "ROOM_CLOSED")
    room = await operator.until(lambda room: room.state == "closed")
    hands = [event.event_type for event in room.events if event.event_type.startswith("hand_")]
    assert hands[-1] == "hand_completed"
    await operator.open("r2")
    taken = await operator.post("/v1/rooms", {"roomId": "r1", "config": CONFIG})
    assert (taken.status_code, taken.json()["reason"]) == (409, "ROOM_EXISTS")


async def test_a_start_returns_while_the_session_runs(
    network: CasinoHarness, operator: Operator
) -> None:
    await operator.open()
    for name in ("ada", "bob"):
        network.player(name)
        await operator.seat(name)
    reply = await operator.post("/v1/rooms/r1/start", {"maxHands": 2, "bigBlind": 4})
    assert (reply.status_code, reply.json()["status"]) == (202, "running")
    room = await operator.idle_room()
    assert room.summary is not None
    assert room.summary.hand_count == 2
    again = await operator.post("/v1/rooms/r1/start", {"overrides": {"maxHands": 1}})
    assert again.status_code == 202
    room = await operator.idle_room()
    assert room.summary is not None
    assert room.summary.hand_count == 3


async def test_a_start_with_too_few_players_is_refused(
    network: CasinoHarness, operator: Operator
) -> None:
    """A refused start does not keep the next one from starting."""
    await operator.open()
    network.player("ada")
    await operator.seat("ada")
    reply = await operator.post("/v1/rooms/r1/start")
    assert (reply.status_code, reply.json()["type"]) == (409, "/problems/not-enough-players")
    network.player("bob")
    await operator.seat("bob")
    assert (await operator.post("/v1/rooms/r1/start")).status_code == 202


async def test_simultaneous_starts_begin_one_session(
    network: CasinoHarness, operator: Operator
) -> None:
    await operator.open(maxHands=100)
    for name in ("ada", "bob"):
        network.player(name)
        await operator.seat(name)
    replies = await asyncio.gather(*(operator.post("/v1/rooms/r1/start") for _ in range(5)))
    assert sorted(reply.status_code for reply in replies) == [202, 409, 409, 409, 409]


async def test_commands_are_refused_while_draining(
    network: CasinoHarness, operator: Operator
) -> None:
    await operator.open()
    await network.lobby.drain()
    for path in ("/v1/rooms", "/v1/rooms/r1/players", "/v1/rooms/r1/start"):
        body: dict[str, Any] = {"config": CONFIG} if path == "/v1/rooms" else {}
        body |= {"agentCardUrl": "http://x"} if path.endswith("players") else {}
        reply = await operator.post(path, body)
        assert (reply.status_code, reply.json()["reason"]) == (503, "DRAINING")
    assert (await operator.http.get("/v1/rooms/r1")).status_code == 200
