"""What is under way while a room moves: commands, a restart of the lobby, failed attempts."""

import asyncio
from pathlib import Path

import pytest
from casino_agentkit import RemoteRefused
from casino_lobby.store import SqlStore
from support.casino.fleet_side import SILENCE_S, TWO_LOOKS_S, FleetHarness, FleetOperator
from support.processes import run_until


async def test_a_command_that_was_under_way_is_repeated_at_the_other_table(
    network: FleetHarness, operator: FleetOperator
) -> None:
    """The seat at the lost table is void; the player has one at the other, and it is booked."""
    await operator.open_in_fleet(maxSeats=3)
    network.player("ada")
    network.player("bob")
    await operator.seat("ada")

    async def lose_after_seating(host: str, body: bytes) -> None:
        if host == "t1" and b"registerPlayer" in body:
            network.lobby_network.refused.add("t1")
            network.time += SILENCE_S + 0.1
            await network.say("t2")
            await run_until(lambda: network.table_of() == "t2" and network.stored().epoch == 2)

    network.networks["t1"].refused.add("lobby")  # it reports nothing any more
    network.lobby_network.after = lose_after_seating
    reply = await operator.seat("bob")
    assert reply.status_code == 201
    room = network.stored()
    await run_until(lambda: room.reported_ids >= {"player-1", "player-2"})
    assert {seat.player_id for seat in room.seats.values()} == {"player-1", "player-2"}
    assert await network.chips_of() == 400
    first, again = network.players["bob"].invited
    assert (first.player_id, first.seat_token) == (again.player_id, again.seat_token)


async def test_a_lobby_that_restarts_gives_a_lost_table_one_silence(tmp_path: Path) -> None:
    """The table is gone as well: the room stays until then, and moves after it."""
    url = f"sqlite+aiosqlite:///{tmp_path / 'casino.db'}"
    first = FleetHarness(store=SqlStore(url))
    try:
        async with first.lobby.running():
            await first.serve_tables("t1", "t2")
            for name in ("t1", "t2"):
                await first.say(name)
            await FleetOperator(first).play_in_fleet()
        second = FleetHarness(store=SqlStore(url))
        first.cut_off("t1")
        second.lobby_network.refused.add("t1")
        async with second.succeeding(first):
            operator = FleetOperator(second)
            await second.say("t2")
            second.time += SILENCE_S * 0.9
            await second.say("t2")
            await asyncio.sleep(TWO_LOOKS_S)
            assert (second.table_of(), second.stored().is_from_fleet) == ("t1", True)
            second.time += SILENCE_S * 0.2
            await run_until(lambda: second.table_of() == "t2")
            await operator.until_hands(2)
            assert second.stored().epoch == 2
            assert await second.chips_of() == 400
    finally:
        await first.stop_tables()


async def test_every_attempt_has_an_epoch_of_its_own(
    network: FleetHarness, operator: FleetOperator
) -> None:
    """A table may have taken the room although its reply was lost."""
    await network.serve_tables("t3")
    await operator.play_in_fleet()
    epochs: dict[str, int | None] = {}

    async def lose_reply(host: str, body: bytes) -> None:
        if b"configureTable" in body:
            epochs[host] = network.stored().epoch
            if host == "t2":
                network.lobby_network.black_holed.add("t2")
                await asyncio.sleep(1)

    network.lobby_network.after = lose_reply
    network.cut_off("t1")
    network.time += SILENCE_S + 0.1
    await network.say("t2")
    await network.say("t3")
    await run_until(lambda: network.table_of() == "t3" and network.stored().state is None)
    await operator.until_hands(2)
    assert (epochs, network.stored().epoch) == ({"t2": 2, "t3": 3}, 3)
    assert await network.chips_of() == 400


async def test_a_table_of_a_room_needs_no_place_among_the_announced_ones(tmp_path: Path) -> None:
    """After a restart others were quicker: it still has its lease, and is not taken for lost."""
    url = f"sqlite+aiosqlite:///{tmp_path / 'casino.db'}"
    first = FleetHarness(store=SqlStore(url))
    try:
        async with first.lobby.running():
            await first.serve_tables("t1")
            await first.say("t1")
            await FleetOperator(first).play_in_fleet()
        second = FleetHarness(store=SqlStore(url), announced_tables=1)
        async with second.succeeding(first):
            await second.say("t2")
            for _ in range(2):
                assert (await second.say("t1", "r1", epoch=1)).lease_ms == 3200
                second.time += SILENCE_S * 0.9
                await second.say("t2")
            with pytest.raises(RemoteRefused) as refusal:
                await second.say("t3")
            assert refusal.value.reason == "TOO_MANY_TABLES"
            assert (second.table_of(), second.stored().epoch) == ("t1", 1)
    finally:
        await first.stop_tables()
