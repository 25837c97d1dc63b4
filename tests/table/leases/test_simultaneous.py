"""Simultaneous decisions of a leased table are abandoned together."""

import asyncio

from casino_contracts import GameActionRequest, GameActionResponse, PlayerSeat
from support.players.any_player import AnyPlayer, wild
from support.table.leased_process import LEASE_S, LeasedProcess
from support.table.table_harness import ANY_GAME_RULES
from support.table.table_side import CONFIG, SOON, seating


async def test_all_are_asked_anew_when_the_lease_has_run_out() -> None:
    """Also those that answered: their decisions are one record, which was not written."""
    process = LeasedProcess()
    gate = asyncio.Event()

    async def thinking(request: GameActionRequest) -> GameActionResponse:
        await gate.wait()
        return wild(request)

    players = [AnyPlayer("Quick", wild), AnyPlayer("Slow", thinking), AnyPlayer("Quick too", wild)]
    async with process.running():
        config = {**CONFIG, **ANY_GAME_RULES, "maxSeats": 3}
        await process.configure(gameType="roulette", config=config)
        table = await process.peer()
        for number, player in enumerate(players):
            card_url = process.network.add(f"p{number}", player.agent())
            seat = seating(number, card_url, playsAnyGame=True, startingStack=400)
            await table.call("registerPlayer", seat, PlayerSeat, timeout=SOON)
        await process.play()
        await process.clock.until(lambda: all(player.asked for player in players))
        process.cut()
        await process.clock.pass_time(2 * LEASE_S)
        gate.set()
        await process.clock.pass_time(1)
        assert [len(player.asked) for player in players] == [1, 1, 1]
        process.heal()
        await process.clock.until(lambda: process.count("hand_completed"))
        for player in players:
            first, again = player.asked[:2]
            assert first.request_id == again.request_id
        decided = [event for event in process.lobby.events if event.event_type == "action_taken"]
        assert len({event.sequence for event in decided}) == len(decided) >= 3
        assert (decided[0].payload or {})["outcome"] == "ok"
