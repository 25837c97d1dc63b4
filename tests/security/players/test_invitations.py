"""Whatever third parties sign a player up for, its table goes on as before.

What it costs the table's decisions in time is measured by `bench/processes/signups.py`.
"""

import asyncio
from itertools import islice

import pytest
from support.attack.invitation_flood import OK, Flood, invitations
from support.casino.casino import process_casino
from support.processes import run_until

INVITATIONS = 10_000
TABLE = "main"


@pytest.mark.full
@pytest.mark.timeout(240)
async def test_ten_thousand_invitations_change_no_outcome() -> None:
    """Before the first decision, while it plays, and before, during and after a restart."""
    async with process_casino() as casino:
        player = await casino.sample("caller", name="Victim", CASINO_PLAYER_THINK="20ms")
        other = await casino.sample("caller", name="Other")
        await casino.open(TABLE, maxHands=100_000, rebuy="auto", actionTimeoutMs=30_000)
        for one in (player, other):
            assert (await casino.seat(one.cards[0], TABLE)).is_success
        flood, sent = Flood(player.url), invitations(TABLE, "player-1")
        part = INVITATIONS // 4 * 11 // 10  # with the questions among them
        await flood.send(islice(sent, part))
        assert (await casino.http.post(f"/v1/rooms/{TABLE}/start", json={})).is_success
        await casino.hands(5)
        await flood.send(islice(sent, part))
        answered = flood.answers["signup"].total()
        async with asyncio.TaskGroup() as flooding:
            flooding.create_task(flood.send(islice(sent, 2 * part)))
            await run_until(lambda: flood.answers["signup"].total() > answered)
            await player.kill()
            await player.start()
        await casino.hands(20)
        await casino.close(TABLE)
        assert flood.answers["signup"] == {OK: INVITATIONS}
        outcomes = await casino.outcomes()
        assert {outcome for of_player in outcomes.values() for outcome in of_player} == {"ok"}
        await casino.audit()
