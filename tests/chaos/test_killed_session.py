"""A session that was killed again and again has the same events as one that was not.

Five times; `make chaos ROUNDS=10` kills it ten times.
"""

import asyncio
import os
import random
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from casino_contracts import TableEvent
from support.casino.auditor import Auditor
from support.casino.chaos import chaos_casino, room_of
from support.casino.chaos_plan import TABLES
from support.table.table_harness import timeless

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

TABLE, OTHER = TABLES
KILLS = min(10, max(5, int(os.environ.get("CASINO_CHAOS_ROUNDS", "5"))))
HANDS, HANDS_BETWEEN = 12 * KILLS, 4
VICTIMS = [("lobby", TABLE), ("random",), *[(TABLE,)] * 7, ("lobby", TABLE)]
"""The first `KILLS` are killed; a lobby takes its table with it, which would play on without it."""
RULES = {
    "maxHands": HANDS,
    "seed": "ten times",
    "actionTimeoutMs": 60_000,  # a killed player is back within it, also on a slow machine
}


async def killed_session(
    data: Path, kills: Sequence[tuple[str, ...]], dice: random.Random
) -> tuple[list[dict[str, Any]], int]:
    """Play a session, killing processes one after the other.

    Returns its events without times, and the number of interrupted hands.
    """
    async with chaos_casino(data, without=[OTHER]) as casino:
        await casino.open(TABLE, **RULES)
        for victims in kills:
            await casino.hands(HANDS_BETWEEN, TABLE)
            await asyncio.sleep(dice.uniform(0, 0.1))  # anywhere in the hand
            for victim in victims:
                await casino.members[victim].end(signal.SIGKILL)
            for victim in victims:
                await casino.members[victim].start()
        while (room := await casino.room(room_of(TABLE))).summary is None or (
            room.summary.status != "idle"
        ):
            await asyncio.sleep(0.05)
        audit = await Auditor(casino.http).read_room(room.room_id)
        assert (len(audit.completed), audit.epoch) == (HANDS, 1)
        reply = await casino.http.get(f"/v1/rooms/{room.room_id}/events?limit=5000")
        await casino.close()
        return [
            timeless(TableEvent.model_validate(event)) for event in reply.json()["events"]
        ], len(casino.log.resumed)


async def test_a_session_killed_again_and_again_has_the_same_events(tmp_path: Path) -> None:
    """The table most often, also the lobby and a player."""
    seed = random.SystemRandom().randrange(2**32)
    dice = random.Random(seed)
    expected, interrupted = await killed_session(tmp_path / "whole", (), dice)
    assert interrupted == 0
    kills = dice.sample(VICTIMS[:KILLS], KILLS)
    cut, interrupted = await killed_session(tmp_path / "cut", kills, dice)
    assert len(cut) == len(expected), f"seed {seed}"
    for event, same in zip(cut, expected, strict=True):
        assert event == same, f"seed {seed}"
    assert interrupted, f"seed {seed}: no hand was interrupted"
