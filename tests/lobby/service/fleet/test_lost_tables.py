"""A table of the fleet is silent: its room continues at another one."""

import asyncio

import pytest
from casino_agentkit import ANYONE, Agent, RemoteRefused
from casino_contracts import ConfigureTableInput, TableSummary, WaitReason
from casino_lobby.domain.room_addresses import AWAY, WAITING
from support.casino.fleet_side import (
    SILENCE_S,
    TWO_LOOKS_S,
    FleetHarness,
    FleetOperator,
    fleet_harness,
)
from support.processes import eventually, run_until
from support.table.table_side import SOON, configuring


async def test_a_silent_table_loses_its_room(
    network: FleetHarness, operator: FleetOperator
) -> None:
    await operator.play_in_fleet()
    await network.lose("t1", others=("t2",))
    await run_until(lambda: network.table_of() == "t2")
    await operator.until_hands(3)
    room = network.stored()
    assert (room.epoch, room.sessions, room.status) == (2, 2, "running")
    assert sum(room.settled.values()) == 400
    assert await network.chips_of() == 400
    assert room.last_hand - room.hand_count <= 2, "one hand was cancelled, one is running"


async def test_a_table_that_announces_itself_keeps_its_room(
    network: FleetHarness, operator: FleetOperator
) -> None:
    await operator.play_in_fleet()
    for _ in range(2):
        network.time += SILENCE_S * 0.9
        reply = await network.say("t1", "r1", epoch=1)
        assert (reply.lease_ms, reply.announce_within_ms) == (3200, 1333)
        assert (await network.say("t2")).lease_ms is None
        await asyncio.sleep(TWO_LOOKS_S)
    assert (network.table_of(), network.stored().epoch) == ("t1", 1)


async def test_without_a_free_table_the_room_waits(
    network: FleetHarness, operator: FleetOperator
) -> None:
    await operator.play_in_fleet()
    await network.lose("t1")
    room = network.stored()
    await run_until(lambda: room.state == WAITING)
    (listed,) = (await operator.http.get("/v1/rooms")).json()["rooms"]
    assert (listed["state"], listed["status"]) == (WAITING, "running")
    assert listed["message"] == WaitReason.NO_TABLE.what == listed["waits"][0]["what"]
    assert "casino_rooms_without_table 1.0" in (await operator.http.get("/metrics")).text
    await network.say("t2")
    await run_until(lambda: network.table_of() == "t2")
    await operator.until_hands(2)
    metrics = (await operator.http.get("/metrics")).text
    assert "casino_rooms_without_table 0.0" in metrics
    assert "casino_rooms_moved_total 1.0" in metrics


async def test_a_named_table_that_is_gone_is_told_and_kept(
    network: FleetHarness, operator: FleetOperator
) -> None:
    """It need not announce itself: it is asked when nothing comes of a room that plays."""
    await operator.play_in_fleet(table="t1")
    network.cut_off("t1")
    room = network.stored()
    await run_until(lambda: room.state == AWAY)
    (listed,) = (await operator.http.get("/v1/rooms")).json()["rooms"]
    assert [wait["reason"] for wait in listed["waits"]] == ["table-away"]
    network.networks["t1"].refused.clear()
    await run_until(lambda: room.state != AWAY)  # its events come before the lobby asks again
    assert room.waits.items
    network.heal("t1")
    await operator.until_hands(2)
    await run_until(lambda: not room.waits.items)
    assert (room.state, room.epoch, network.table_of()) == (None, 1, "t1")
    metrics = (await operator.http.get("/metrics")).text
    assert 'casino_waits{reason="table-away"} 0.0' in metrics


async def test_one_table_for_two_rooms_gets_one() -> None:
    async with fleet_harness("t1", "t2", "t3") as network:
        operator = FleetOperator(network)
        rooms = ("r1", "r2")
        for room_id in rooms:
            await operator.play_in_fleet(room_id)
        for name in ("t1", "t2"):
            network.cut_off(name)
        network.time += SILENCE_S + 0.1
        await run_until(lambda: all(network.stored(room).state == WAITING for room in rooms))
        await network.say("t3")
        await run_until(lambda: "t3" in {network.table_of(room) for room in rooms})
        placed, left = sorted(rooms, key=lambda room: network.table_of(room) != "t3")
        await operator.until_hands(2, placed)
        assert (network.stored(left).state, network.stored(left).epoch) == (WAITING, 1)


async def test_a_machine_that_swallows_everything_is_given_up(
    network: FleetHarness, operator: FleetOperator
) -> None:
    """A call that is under way ends when the table is lost; a dead candidate is not waited for."""
    await network.serve_tables("t3")
    await operator.play_in_fleet()
    network.networks["t1"].refused.add("lobby")
    network.lobby_network.black_holed |= {"t1", "t2"}
    await network.say("t1")  # as if it had restarted: the lobby calls it
    await run_until(lambda: network.stored().state == AWAY)
    called: list[str] = []
    network.lobby_network.before = lambda host, _body: called.append(host)
    network.time += SILENCE_S + 0.1
    for name in ("t2", "t3"):  # t2 was registered first
        await network.say(name)
    await run_until(lambda: network.table_of() == "t3" and network.stored().state is None)
    assert called.count("t2") == 1, "a dead candidate is asked once"
    assert "t1" not in called
    await operator.until_hands(2)


async def test_a_table_that_may_be_lost_too_is_not_tried_first(
    network: FleetHarness, operator: FleetOperator
) -> None:
    """Both were on the machine that is gone; the other one has announced itself since."""
    await network.serve_tables("t3")
    await operator.play_in_fleet()
    called = set[str]()
    network.lobby_network.before = lambda host, _body: called.add(host)
    for name in ("t1", "t2"):
        network.cut_off(name)
    network.time += SILENCE_S * 0.1
    await network.say("t2")
    network.time += SILENCE_S * 0.5
    await network.say("t3")
    network.time += SILENCE_S * 0.41
    await run_until(lambda: network.table_of() == "t3")
    assert "t2" not in called
    await operator.until_hands(2)


async def test_the_lost_table_is_fenced_when_it_returns(
    network: FleetHarness, operator: FleetOperator
) -> None:
    await operator.play_in_fleet()
    await network.lose("t1", others=("t2",))
    await run_until(lambda: network.table_of() == "t2")
    network.heal("t1")
    with pytest.raises(RemoteRefused) as refusal:
        await network.say("t1", "r1", epoch=1)
    assert refusal.value.reason == "STALE_EPOCH"
    await operator.until_hands(3)
    assert (network.table_of(), network.stored().epoch) == ("t2", 2)
    assert await network.chips_of() == 400


async def test_a_table_that_returns_while_the_room_waits_goes_on(
    network: FleetHarness, operator: FleetOperator
) -> None:
    await operator.play_in_fleet()
    await network.lose("t1")
    await run_until(lambda: network.stored().state == WAITING)
    network.heal("t1")
    await network.say("t1", "r1", epoch=1)
    await run_until(lambda: network.stored().state is None)
    await operator.until_hands(2)
    assert (network.table_of(), network.stored().epoch) == ("t1", 1)


@pytest.mark.full  # its lease is of the table's own, real clock
async def test_a_table_that_serves_another_room_loses_this_one(
    network: FleetHarness, operator: FleetOperator
) -> None:
    """Another caller configured it, once its lease was over: the room goes on at a free one."""
    await operator.open_in_fleet()
    table = await network.client().resolve(network.card_of("t1"), timeout=SOON)
    with pytest.raises(RemoteRefused):  # also while nobody sits there
        await table.call("configureTable", configuring(), TableSummary, timeout=SOON)

    async def is_taken() -> bool:
        try:
            await table.call("configureTable", configuring(), TableSummary, timeout=SOON)
        except RemoteRefused:
            return False
        return True

    await eventually(is_taken)
    await network.say("t1", "t1", epoch=1, token="x" * 64)
    await run_until(lambda: network.table_of() == "t2")
    assert network.stored().epoch == 2


async def test_a_table_that_cannot_take_seats_over_is_skipped(
    network: FleetHarness, operator: FleetOperator
) -> None:
    """An agent that knows only the protocol document would begin with an empty table."""
    await operator.play_in_fleet()
    network.add("minimal", minimal_table())
    await network.say("minimal")
    await network.lose("t1", others=("minimal",))
    room = network.stored()
    await run_until(lambda: room.state == WAITING)
    assert (network.table_of(), room.epoch, room.is_keyed) == ("t1", 1, True)
    await network.say("t2")
    await operator.until_hands(2)
    assert network.table_of() == "t2"


def minimal_table() -> Agent:
    """Return a table that takes a configuration, and knows no room keys."""
    agent = Agent("Minimal", "A table of the protocol document.")

    @agent.entrypoint("configureTable", who=ANYONE)
    async def configure(request: ConfigureTableInput) -> TableSummary:
        return TableSummary(
            table_id=request.table_id, status="waiting", hand_count=0, players=(), message="ready"
        )

    return agent
