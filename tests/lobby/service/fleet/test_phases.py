"""Rooms in every phase whose table is lost."""

import asyncio

from casino_agentkit import CommandRefused
from casino_agentkit.errors import Unreachable
from casino_contracts import ActionRequest, ActionResponse
from support.casino.fleet_side import SILENCE_S, TWO_LOOKS_S, FleetHarness, FleetOperator, unhurried
from support.processes import run_until
from support.table.table_side import CONFIG


async def test_an_idle_room_moves_too(network: FleetHarness, operator: FleetOperator) -> None:
    await operator.play_in_fleet(maxHands=2, hands=2)
    await run_until(lambda: network.stored().status == "idle")
    await network.lose("t1", others=("t2",))
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
    assert network.stored().ledger.balances == {}
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
    await network.lose("t1", others=("t2",))
    await run_until(lambda: network.stored().phase == "closed")
    assert network.stored().ledger.balances == {}


async def test_a_full_room_whose_start_was_lost_starts_elsewhere(
    network: FleetHarness, operator: FleetOperator
) -> None:
    """The start did not reach the table; nobody has to send it again."""
    await operator.open_in_fleet(maxSeats=2)
    for name in ("ada", "bob"):
        network.player(name, unhurried)
    await operator.seat("ada")

    def cut_at_start(_host: str, body: bytes) -> None:
        if b"startGame" in body and not network.lobby_network.refused:
            network.cut_off("t1")

    network.lobby_network.before = cut_at_start
    await operator.seat("bob")
    await run_until(lambda: "t1" in network.lobby_network.refused)
    await network.lose("t1", others=("t2",))
    await operator.until_hands(2)
    assert network.table_of() == "t2"
    assert await network.chips_of() == 400


async def test_a_start_that_fails_after_the_move_is_repeated(
    network: FleetHarness, operator: FleetOperator
) -> None:
    """The lost table began the session, which is void; its answer never came."""
    await operator.open_in_fleet(maxSeats=2)
    for name in ("ada", "bob"):
        network.player(name, unhurried)
    network.networks["t1"].refused.add("lobby")
    await operator.seat("ada")

    async def lose_answer(host: str, body: bytes) -> None:
        if host == "t1" and b"startGame" in body:
            await network.lose("t1", others=("t2",))
            room = network.stored()
            await run_until(lambda: room.reported_ids == {"player-1", "player-2"})
            raise Unreachable("http://t1", "the connection was reset")

    network.lobby_network.after = lose_answer
    await operator.seat("bob")
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
    await network.lose("t1", others=("t2",))
    await asyncio.sleep(TWO_LOOKS_S)
    assert (network.table_of(), network.stored().epoch, network.stored().state) == ("t1", 1, None)


async def test_a_paused_session_goes_on_elsewhere(
    network: FleetHarness, operator: FleetOperator
) -> None:
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
    await network.lose("t1", others=("t2",))
    await run_until(lambda: network.table_of() == "t2")
    await operator.until_hands(2)
    assert await network.chips_of() == 400
