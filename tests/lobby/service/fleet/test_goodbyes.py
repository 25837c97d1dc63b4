"""A table of the fleet says that its process ends: its room continues at another one."""

import asyncio

import pytest
from casino_lobby.domain.room_addresses import WAITING
from support.casino.fleet_side import TWO_LOOKS_S, FleetHarness, FleetOperator, fleet_harness
from support.processes import run_until

FORGED = "0" * 64


async def test_a_table_that_leaves_soon_keeps_its_room_and_gets_no_other(
    network: FleetHarness, operator: FleetOperator
) -> None:
    await operator.play_in_fleet()
    reply = await network.say("t1", "r1", epoch=1, leaving="soon")
    assert (reply.lease_ms, reply.is_released) == (3200, None)
    await network.say("t2", leaving="soon")
    refused = await operator.post("/v1/rooms", {"config": {"maxSeats": 2}})
    assert refused.status_code in {422, 503}
    await operator.until_hands(2)
    assert (network.table_of(), network.stored().epoch) == ("t1", 1)


async def test_a_table_that_leaves_now_is_released_when_another_one_has_its_room(
    network: FleetHarness, operator: FleetOperator
) -> None:
    await operator.play_in_fleet()
    assert (await network.say("t1", "r1", epoch=1, leaving="now")).is_released is False
    await run_until(lambda: network.table_of() == "t2" and network.stored().state is None)
    await operator.until_hands(2)
    assert (await network.say("t1", "r1", epoch=1, leaving="now")).is_released is True
    assert (network.table_of(), network.stored().epoch) == ("t2", 2)
    assert await network.chips_of() == 400


async def test_a_table_without_a_room_is_released_at_once(
    network: FleetHarness, operator: FleetOperator
) -> None:
    assert (await network.say("t1", leaving="now")).is_released is True
    await operator.open_in_fleet()
    assert network.table_of() == "t2"
    listed = (await operator.http.get("/v1/tables")).json()["tables"]
    assert [table["agentCardUrl"] for table in listed] == [network.card_of("t2")]


async def test_a_goodbye_without_a_free_table_waits_for_one(
    network: FleetHarness, operator: FleetOperator
) -> None:
    await network.say("t2", leaving="now")
    await operator.play_in_fleet()
    await network.say("t1", "r1", epoch=1, leaving="now")
    await run_until(lambda: network.stored().state == WAITING)
    assert (await network.say("t1", "r1", epoch=1, leaving="now")).is_released is False
    await network.say("t2")
    await run_until(lambda: network.table_of() == "t2")
    await operator.until_hands(2)
    assert (await network.say("t1", "r1", epoch=1, leaving="now")).is_released is True


@pytest.mark.parametrize("token", [FORGED, None])
async def test_a_forged_goodbye_moves_nothing(
    network: FleetHarness, operator: FleetOperator, token: str | None
) -> None:
    """Without the token of the room and epoch it only keeps new rooms from the table."""
    await operator.play_in_fleet()
    served = "r1" if token else None
    reply = await network.say("t1", served, epoch=1, token=token, leaving="now")
    assert (reply.is_released, reply.lease_ms) == (False, None)
    await operator.until_hands(2)
    await asyncio.sleep(TWO_LOOKS_S)
    assert (network.table_of(), network.stored().epoch) == ("t1", 1)
    assert (await network.say("t1", "r1", epoch=1)).lease_ms == 3200


async def test_a_forged_announcement_extends_nothing(
    network: FleetHarness, operator: FleetOperator
) -> None:
    """A lost table is lost, whoever announces its address."""
    await operator.play_in_fleet()
    network.cut_off("t1")
    for _ in range(3):
        network.time += 1.5
        assert (await network.say("t1", "r1", epoch=1, token=FORGED)).lease_ms is None
    await network.say("t2")
    await run_until(lambda: network.table_of() == "t2")
    await operator.until_hands(2)


async def test_a_table_that_left_comes_back_to_its_waiting_room() -> None:
    """Its process was restarted at the same address: it goes on from its journal."""
    async with fleet_harness("t1") as network:
        operator = FleetOperator(network)
        await operator.play_in_fleet()
        await network.say("t1", "r1", epoch=1, leaving="now")
        await run_until(lambda: network.stored().state == WAITING)
        await network.say("t1", "r1", epoch=1)
        await run_until(lambda: network.stored().state is None)
        await operator.until_hands(2)
        assert network.stored().epoch == 1


async def test_a_table_that_lost_everything_gets_its_room_again() -> None:
    """It announces itself without a room: a new epoch begins there."""
    async with fleet_harness("t1") as network:
        operator = FleetOperator(network)
        await operator.play_in_fleet()
        await network.say("t1", "r1", epoch=1, leaving="now")
        await run_until(lambda: network.stored().state == WAITING)
        await network.stop_tables()
        await network.serve_tables("t1")
        await network.say("t1")
        await run_until(lambda: network.stored().state is None)
        await operator.until_hands(2)
        assert network.stored().epoch == 2
        assert await network.chips_of() == 400
