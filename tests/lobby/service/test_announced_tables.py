"""Rooms on tables that announced themselves."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from casino_agentkit import Agent
from casino_contracts import RegisterTableOutput, TableSummary
from support.casino.casino_side import LOBBY, CasinoHarness, Operator
from support.table.table_side import CONFIG, SOON, configuring


@pytest.fixture
async def town() -> AsyncIterator[CasinoHarness]:
    """Run a lobby that launches no tables."""
    town = CasinoHarness(tables=3, launch_tables=False)
    async with town.tables.running(), town.lobby.running():
        yield town


@pytest.fixture
def operator(town: CasinoHarness) -> Operator:
    """Drive it."""
    return Operator(town)


async def open_room(operator: Operator, room_id: str, **more: Any) -> httpx.Response:
    """Open a room without naming a table."""
    return await operator.post("/v1/rooms", {"roomId": room_id, "config": CONFIG, **more})


async def test_rooms_get_announced_tables(town: CasinoHarness, operator: Operator) -> None:
    """One each, also when they are opened at the same time; then there is none."""
    await town.announce(1, 2)
    replies = await asyncio.gather(*(open_room(operator, f"r{n}") for n in range(3)))
    assert sorted(reply.status_code for reply in replies) == [201, 201, 503]
    opened = [reply.json() for reply in replies if reply.status_code == 201]
    assert {room["tableBaseUrl"] for room in opened} == {
        "http://tables/tables/1",
        "http://tables/tables/2",
    }
    (refused,) = [reply.json() for reply in replies if reply.status_code == 503]
    assert refused["reason"] == "NO_TABLE"
    assert "announces itself" in refused["detail"]
    left = (await operator.http.get("/v1/rooms")).json()["rooms"]
    assert len(left) == 2


async def test_a_table_is_free_again_when_its_room_is_closed(
    town: CasinoHarness, operator: Operator
) -> None:
    """For the next room."""
    await town.announce(1)
    assert (await open_room(operator, "r1")).status_code == 201
    await operator.http.delete("/v1/rooms/r1")
    while (await operator.room("r1")).state != "closed":
        await asyncio.sleep(0)
    assert (await open_room(operator, "r2")).status_code == 201


async def test_a_table_that_does_not_answer_is_passed_over(
    town: CasinoHarness, operator: Operator
) -> None:
    """And one that another lobby uses; the room gets the next one."""
    await town.announce_card("http://gone/")
    busy = town.add("busy", Agent("Busy", "Takes no room."))
    await town.announce(1)
    await town.announce_card(busy)
    room = (await open_room(operator, "r1")).json()
    assert room["tableBaseUrl"] == "http://tables/tables/1"
    assert (await open_room(operator, "r2")).status_code == 503


async def test_a_config_that_no_table_plays_is_refused_at_once(
    town: CasinoHarness, operator: Operator
) -> None:
    """With the field, not as a lack of tables."""
    await town.announce(1, 2)
    reply = await open_room(operator, "r1", gameConfig={"jokers": 2})
    assert (reply.status_code, reply.json()["reason"]) == (422, "INVALID_GAME_CONFIG")
    assert (await open_room(operator, "r2")).status_code == 201


async def test_a_pinned_port_needs_a_lobby_that_launches(
    town: CasinoHarness, operator: Operator
) -> None:
    """An announced table listens where it listens."""
    await town.announce(1)
    reply = await open_room(operator, "r1", launchOptions={"port": 4777})
    assert (reply.status_code, reply.json()["reason"]) == (503, "NO_TABLE")


async def test_a_silent_table_gets_no_room(town: CasinoHarness, operator: Operator) -> None:
    """Nobody knows whether it is still there."""
    await town.announce(1)
    town.time += 31
    assert (await open_room(operator, "r1")).status_code == 503


async def test_an_announcement_from_before_the_room_does_no_harm(
    town: CasinoHarness, operator: Operator
) -> None:
    """The table itself is asked."""
    await town.announce(1)
    await open_room(operator, "r1")
    await town.announce(1, table_id=None)
    for _ in range(100):
        await asyncio.sleep(0)
    room = await operator.room("r1")
    assert (room.state, room.epoch) == (None, 1)


async def test_a_table_that_serves_another_room_fails_this_one(
    town: CasinoHarness, operator: Operator
) -> None:
    """It was given away behind the lobby's back."""
    await town.announce(1)
    await open_room(operator, "r1")
    table = await town.client().resolve(town.table_card(1), timeout=SOON)
    await table.call("configureTable", configuring(), TableSummary, timeout=SOON)
    await town.announce(1, table_id="t1")
    while (await operator.room("r1")).state != "failed":
        await asyncio.sleep(0)
    room = await operator.room("r1")
    assert room.summary is not None
    assert "serves t1" in (room.summary.message or "")


async def test_an_announcement_without_an_address_is_refused(operator: Operator) -> None:
    """With the field."""
    lobby = await operator.town.client().resolve(LOBBY, timeout=SOON)
    with pytest.raises(Exception, match="agentCardUrl"):
        await lobby.call(
            "registerTable", b'{"agentCardUrl": "table"}', RegisterTableOutput, timeout=SOON
        )
