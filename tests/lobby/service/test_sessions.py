"""Starting sessions, with real tables and players in one process."""

import asyncio

from support.casino.casino_side import CasinoHarness, Operator


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
