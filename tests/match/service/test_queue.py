"""So many matches are played at a time; the others wait, and all end with the service."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from casino_agentkit import RemoteRefused
from support.processes import run_until

from .conftest import LONG_MS, PLAN, Gate, MatchService, match_service, play_here


def numbered(number: int) -> dict[str, Any]:
    return {**PLAN, "deal": {**PLAN["deal"], "seed": str(number)}}


async def statuses(service: MatchService, count: int) -> list[str]:
    """Return the statuses of the first plans."""
    return [(await service.run(plan=numbered(number))).status for number in range(count)]


async def test_matches_wait_in_their_order(tmp_path: Path) -> None:
    """The queue has an end; what was refused may come again."""
    gate = Gate()
    async with match_service(tmp_path, gate.play, at_once=1, queued=2) as service:
        assert await statuses(service, 3) == ["running", "queued", "queued"]
        with pytest.raises(RemoteRefused) as refused:
            await service.run(plan=numbered(3))
        assert refused.value.reason == "TOO_MANY_MATCHES"
        assert len(service.kept) == 3
        gate.open()
        last = await service.run(plan=numbered(2), waitMs=LONG_MS)
        assert last.status == "complete"
        assert (await service.run(plan=numbered(3), waitMs=LONG_MS)).status == "complete"
        ids = [(await service.run(plan=numbered(number))).match_id for number in range(4)]
    assert gate.played == ids


async def test_several_are_played_at_a_time(tmp_path: Path) -> None:
    """While others are asked for, nothing waits for a match."""
    gate = Gate()
    async with match_service(tmp_path, gate.play, at_once=2, queued=0) as service:
        assert await statuses(service, 2) == ["running", "running"]
        waiting = [
            asyncio.create_task(service.run(plan=numbered(number), waitMs=LONG_MS))
            for number in range(2)
        ]
        await run_until(lambda: len(gate.played) == 2)
        gate.open()
        replies = await asyncio.gather(*waiting)
    assert [reply.status for reply in replies] == ["complete", "complete"]


async def test_the_end_of_the_service_suspends_matches(tmp_path: Path) -> None:
    """Whoever waits gets a reply; the next service does not go on by itself."""
    gate = Gate()
    async with match_service(tmp_path, gate.play, at_once=1) as service:
        await statuses(service, 2)
        waiting = [
            asyncio.create_task(service.run(plan=numbered(number), waitMs=LONG_MS, resume=False))
            for number in range(2)
        ]
        await run_until(lambda: gate.played)
        turns = iter(range(200))
        await run_until(lambda: next(turns) == 199)  # both calls wait by then
        assert not any(call.done() for call in waiting)
    replies = await asyncio.gather(*waiting)
    assert [(reply.status, reply.decks) for reply in replies] == [("suspended", 0)] * 2
    assert len(gate.played) == 1
    async with match_service(tmp_path, play_here) as service:
        seen = [await service.run(matchId=reply.match_id, resume=False) for reply in replies]
        assert [reply.status for reply in seen] == ["suspended", "suspended"]
        last = await service.run(matchId=replies[1].match_id, waitMs=LONG_MS)
        assert last.status == "complete"


async def test_nothing_begins_while_the_service_ends(tmp_path: Path) -> None:
    gate = Gate()
    async with match_service(tmp_path, gate.play) as service:
        first = await service.run(plan=numbered(1))
        await service.drain()
        for number in (1, 2):
            with pytest.raises(RemoteRefused) as refused:
                await service.run(plan=numbered(number))
            assert refused.value.reason == "DRAINING"
        assert (await service.run(matchId=first.match_id, resume=False)).status == "suspended"
        assert [path.name for path in service.kept] == [first.match_id]


async def test_metrics_say_what_is_played(tmp_path: Path) -> None:
    """Gauges of running and waiting matches, and how runs ended."""
    gate = Gate()
    async with match_service(tmp_path, gate.play, at_once=1) as service:
        await statuses(service, 3)
        page = (await service.request("GET", "/metrics")).text
        assert "casino_match_running 1.0" in page
        assert "casino_match_queued 2.0" in page
        gate.open()
        await service.run(plan=numbered(2), waitMs=LONG_MS)
        page = (await service.request("GET", "/metrics")).text
    assert 'casino_match_runs_total{status="complete"} 3.0' in page
    assert "casino_match_queued 0.0" in page
