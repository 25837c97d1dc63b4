"""A table of the fleet is silent: its room continues at another one."""

import asyncio

import pytest
from casino_agentkit import ANYONE, Agent, CommandRefused, RemoteRefused
from casino_contracts import ActionRequest, ActionResponse, ConfigureTableInput, TableSummary
from casino_lobby.domain.table_address import WAITING
from support.casino.fleet_side import (
    SILENCE_S,
    FleetHarness,
    FleetOperator,
    fleet_harness,
    unhurried,
)
from support.processes import run_until
from support.table.table_side import CONFIG, SOON, configuring


async def lose(network: FleetHarness, name: str = "t1", *, others: tuple[str, ...] = ()) -> None:
    """Cut a table off and let the limit pass; the others announce themselves meanwhile."""
    network.cut_off(name)
    network.time += SILENCE_S + 0.1
    for other in others:
        await network.say(other)


async def test_a_silent_table_loses_its_room(
    network: FleetHarness, operator: FleetOperator
) -> None:
    """A new epoch begins from the record: the session goes on, and no chip is lost."""
    await operator.play_in_fleet()
    await lose(network, others=("t2",))
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
    """Its lease ends before the lobby takes it for lost; the other tables have none."""
    await operator.play_in_fleet()
    for _ in range(4):
        network.time += SILENCE_S * 0.9
        reply = await network.say("t1", "r1", epoch=1)
        assert (reply.lease_ms, reply.announce_within_ms) == (3200, 1333)
        assert (await network.say("t2")).lease_ms is None
        await asyncio.sleep(0.5)  # longer than the watch sleeps
    assert (network.table_of(), network.stored().epoch) == ("t1", 1)


async def test_without_a_free_table_the_room_waits(
    network: FleetHarness, operator: FleetOperator
) -> None:
    """It says so, and goes on as soon as a table announces itself."""
    await operator.play_in_fleet()
    await lose(network)
    room = network.stored()
    await run_until(lambda: room.state == WAITING)
    (listed,) = (await operator.http.get("/v1/rooms")).json()["rooms"]
    assert (listed["state"], listed["status"]) == (WAITING, "running")
    assert "waits for a free table" in listed["message"]
    assert "casino_rooms_without_table 1.0" in (await operator.http.get("/metrics")).text
    await network.say("t2")
    await run_until(lambda: network.table_of() == "t2", seconds=1)
    await operator.until_hands(2)
    metrics = (await operator.http.get("/metrics")).text
    assert "casino_rooms_without_table 0.0" in metrics
    assert "casino_rooms_moved_total 1.0" in metrics


async def test_one_table_for_two_rooms_gets_one() -> None:
    """The other room waits on."""
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
    """Neither the lost table nor a candidate on the same machine is waited for long."""
    await operator.play_in_fleet()
    await network.serve_tables("t3")
    await network.say("t3")
    for name in ("t1", "t2"):
        network.cut_off(name)
        network.lobby_network.refused.discard(name)
        network.lobby_network.black_holed.add(name)
    network.time += SILENCE_S * 0.6
    await network.say("t3")
    network.time += SILENCE_S * 0.39
    started = asyncio.get_running_loop().time()
    refused = await operator.http.get("/v1/rooms/r1/hands/r1:1:1/record")  # calls the lost table
    assert refused.status_code >= 400
    network.time += SILENCE_S * 0.02
    await run_until(lambda: network.stored().state is None and network.table_of() == "t3")
    await operator.until_hands(2)
    assert asyncio.get_running_loop().time() - started < 30


async def test_the_lost_table_is_fenced_when_it_returns(
    network: FleetHarness, operator: FleetOperator
) -> None:
    """Its announcement moves nothing back, its events are refused, and it gets no lease."""
    await operator.play_in_fleet()
    await lose(network, others=("t2",))
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
    """In the same epoch: it holds everything."""
    await operator.play_in_fleet()
    await lose(network)
    await run_until(lambda: network.stored().state == WAITING)
    network.heal("t1")
    await network.say("t1", "r1", epoch=1)
    await run_until(lambda: network.stored().state is None)
    await operator.until_hands(2)
    assert (network.table_of(), network.stored().epoch) == ("t1", 1)


async def test_an_idle_room_moves_too(network: FleetHarness, operator: FleetOperator) -> None:
    """It has no session to resume, and plays at the other table."""
    await operator.play_in_fleet(maxHands=2, hands=2)
    await run_until(lambda: network.stored().status == "idle")
    await lose(network, others=("t2",))
    await run_until(lambda: network.table_of() == "t2")
    assert (network.stored().sessions, network.stored().goes_on) == (1, False)
    assert (await operator.post("/v1/rooms/r1/start")).status_code == 202
    await operator.until_hands(2)
    assert await network.chips_of() == 400


async def test_a_room_that_closes_is_cashed_out_elsewhere(
    network: FleetHarness, operator: FleetOperator
) -> None:
    """Its table is lost before it said so; another one pays the recorded stacks out."""
    await operator.play_in_fleet()
    network.cut_off("t1")
    assert (await operator.http.delete("/v1/rooms/r1")).status_code == 202
    network.time += SILENCE_S + 0.1
    await network.say("t2")
    await run_until(lambda: network.stored().phase == "closed")
    assert network.table_of() == "t2"
    assert await network.store.balances("r1") == {}
    await network.say("t2")
    await operator.open_in_fleet("r2")
    assert network.table_of("r2") == "t2"


async def test_a_table_that_is_lost_while_it_closes_is_replaced(
    network: FleetHarness, operator: FleetOperator
) -> None:
    """It was called, and plays its last hand out: its events never arrive."""
    await operator.play_in_fleet()
    network.networks["t1"].refused.add("lobby")
    assert (await operator.http.delete("/v1/rooms/r1")).status_code == 202
    await run_until(lambda: network.stored().phase == "closing")
    await lose(network, others=("t2",))
    await run_until(lambda: network.stored().phase == "closed")
    assert await network.store.balances("r1") == {}


async def test_a_full_room_whose_start_was_lost_starts_elsewhere(
    network: FleetHarness, operator: FleetOperator
) -> None:
    """The start did not reach the table; nobody has to send it again."""
    await operator.open_in_fleet(maxSeats=2)
    for name in ("ada", "bob"):
        network.player(name)
    await operator.seat("ada")

    def cut_at_start(_host: str, body: bytes) -> None:
        if b"startGame" in body and not network.lobby_network.refused:
            network.cut_off("t1")

    network.lobby_network.before = cut_at_start
    await operator.seat("bob")
    await run_until(lambda: "t1" in network.lobby_network.refused)
    await lose(network, others=("t2",))
    await operator.until_hands(2)
    assert network.table_of() == "t2"
    assert await network.chips_of() == 400


async def test_rooms_whose_table_was_named_stay(
    network: FleetHarness, operator: FleetOperator
) -> None:
    """The creator chose the table, although it announces itself; it gets no lease."""
    body = {"roomId": "r1", "tableAgentCardUrl": network.card_of("t1"), "config": CONFIG}
    assert (await operator.post("/v1/rooms", body)).status_code == 201
    assert (await network.say("t1", "r1", epoch=1)).lease_ms is None
    await lose(network, others=("t2",))
    await asyncio.sleep(1)  # longer than the watch sleeps
    assert (network.table_of(), network.stored().epoch, network.stored().state) == ("t1", 1, None)


async def test_a_table_that_serves_another_room_loses_this_one(
    network: FleetHarness, operator: FleetOperator
) -> None:
    """Another caller configured it: the room goes on at a free one."""
    await operator.open_in_fleet()
    table = await network.client().resolve(network.card_of("t1"), timeout=SOON)
    await table.call("configureTable", configuring(), TableSummary, timeout=SOON)
    await network.say("t1", "t1", epoch=1, token="x" * 64)
    await run_until(lambda: network.table_of() == "t2")
    assert network.stored().epoch == 2


async def test_a_paused_session_goes_on_elsewhere(
    network: FleetHarness, operator: FleetOperator
) -> None:
    """Its players are asked again by the other table."""
    await operator.open_in_fleet(maxSeats=2, maxTimeouts=1)
    network.player("ada", unhurried)
    is_ill = False

    async def ailing(request: ActionRequest) -> ActionResponse:
        if is_ill:
            raise CommandRefused("ILL", "not now")
        return await unhurried(request)

    network.player("bob", ailing)
    for name in ("ada", "bob"):
        await operator.seat(name)
    await operator.until_hands(1)
    is_ill = True
    await run_until(lambda: network.stored().state == "paused")
    is_ill = False
    await lose(network, others=("t2",))
    await run_until(lambda: network.table_of() == "t2")
    await operator.until_hands(2)
    assert await network.chips_of() == 400


async def test_a_room_of_an_older_release_is_adopted(
    network: FleetHarness, operator: FleetOperator
) -> None:
    """Its table announces itself, with the token of the room: it may move from then on."""
    await operator.play_in_fleet()
    room = network.stored()
    room.is_from_fleet = None
    assert (await network.say("t1", "r1", epoch=1, token="0" * 64)).lease_ms is None
    assert room.is_from_fleet is None
    assert (await network.say("t1", "r1", epoch=1)).lease_ms == 3200
    await lose(network, others=("t2",))
    await run_until(lambda: network.table_of() == "t2")
    await operator.until_hands(2)


async def test_a_table_that_cannot_take_seats_over_is_skipped(
    network: FleetHarness, operator: FleetOperator
) -> None:
    """An agent that knows only the protocol document would begin with an empty table."""
    await operator.play_in_fleet()
    network.add("minimal", minimal_table())
    await network.say("minimal")
    await lose(network, others=("minimal",))
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
        """Take a configuration."""
        return TableSummary(
            table_id=request.table_id, status="waiting", hand_count=0, players=(), message="ready"
        )

    return agent
