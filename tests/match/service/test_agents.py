"""Matches with agents over HTTP: a hung one suspends the match, which goes on when it answers."""

import asyncio
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from casino_agentkit import AgentClient, RemoteRefused, Service
from casino_contracts import ActionRequest, ActionResponse, Waiting, WaitReason
from support.casino.casino import process
from support.match.agent_side import by_cards
from support.processes import eventually, reserved_port, run_until
from support.served import serving
from support.table.table_side import Player

from .conftest import KEY, LONG_MS, Caller, match_service


class Hung:
    """An agent that gives no answer before it is mended."""

    def __init__(self) -> None:
        self.player = Player("hung", self._decide)
        self.is_mended = threading.Event()
        self.url = ""
        self.app = Service({"": self.player.agent()}).asgi()

    async def _decide(self, request: ActionRequest) -> ActionResponse:
        while not self.is_mended.is_set():
            await asyncio.sleep(0.02)
        return by_cards(request)


@pytest.fixture
def hung() -> Iterator[Hung]:
    agent = Hung()
    with serving(agent.app) as agent.url:
        yield agent
        agent.is_mended.set()


def plan_with(agent: Hung, **faults: str) -> dict[str, Any]:
    return {
        "players": [{"player": agent.url, "name": "agent"}, {"player": "style:caller"}],
        "rules": {"clock": "1s"},
        "deal": {"seed": "s", "decks": 4, "decksPerBlock": 2},
        "faults": faults,
    }


async def test_a_hung_agent_suspends_the_match_until_it_answers(hung: Hung, tmp_path: Path) -> None:
    """Nothing is decided in its place: the result is that of a match without the pause."""
    plan = plan_with(hung, patience="2s")
    async with match_service(tmp_path / "paused") as service:
        first = await service.run(plan=plan, waitMs=LONG_MS)
        assert (first.status, first.decks) == ("suspended", 0)
        assert first.error is not None
        assert "agent at http://127.0.0.1" in first.error
        seen = await service.run(matchId=first.match_id, resume=False)
        assert (seen.status, seen.error) == (first.status, first.error)
        hung.is_mended.set()
        last = await service.run(plan=plan, waitMs=LONG_MS)
        assert len(service.kept) == 1
    async with match_service(tmp_path / "whole") as service:
        whole = await service.run(plan=plan, waitMs=LONG_MS)
    assert (last.status, last.match_id) == ("complete", first.match_id)
    assert last.result is not None
    assert whole.result is not None
    assert last.result.digest == whole.result.digest
    assert last.result.players[0].outcomes == whole.result.players[0].outcomes
    assert set(whole.result.players[0].outcomes) == {"ok"}


async def test_a_match_says_that_it_waits_for_an_agent(hung: Hung, tmp_path: Path) -> None:
    """As long as it does, without what only operators may know."""
    async with match_service(tmp_path) as service:
        first = await service.run(plan=plan_with(hung, patience="5m"))

        async def told() -> tuple[Waiting, ...]:
            return (await service.run(matchId=first.match_id, resume=False)).waits or ()

        (wait,) = await eventually(told)
        assert (wait.reason, wait.detail) == (WaitReason.PLAYER_AWAY, None)
        hung.is_mended.set()
        last = await service.run(matchId=first.match_id, waitMs=LONG_MS)
        assert (last.status, last.waits) == ("complete", None)


@pytest.mark.full
async def test_the_process_ends_at_once_and_the_next_goes_on(hung: Hung, tmp_path: Path) -> None:
    """SIGTERM while an agent is waited for: exit code 0, and the match is suspended."""
    settings = {"CASINO_MATCH_DATA": str(tmp_path), "CASINO_MATCH_OPERATOR_TOKEN": KEY}
    plan = plan_with(hung, patience="5m")
    client = AgentClient()
    async with process("match", "casino_match", ["--port", "0"], settings=settings) as child:
        caller = Caller(client, child.url)
        first = await caller.run(plan=plan)
        assert first.status == "running"
        await run_until(lambda: hung.player.asked)
        assert await child.end(signal.SIGTERM) == 0
    await client.close()
    async with match_service(tmp_path) as service:
        seen = await service.run(matchId=first.match_id, resume=False)
        assert seen.status == "suspended"
        hung.is_mended.set()
        last = await service.run(matchId=first.match_id, waitMs=LONG_MS)
    assert (last.status, last.decks) == ("complete", 4)


async def test_the_policy_of_addresses_holds_while_a_match_is_played(
    hung: Hung, tmp_path: Path
) -> None:
    """A match that began under another policy calls nobody beyond that of now."""
    plan = plan_with(hung, patience="2s")
    async with match_service(tmp_path) as service:
        first = await service.run(plan=plan, waitMs=LONG_MS)
        asked = len(hung.player.asked)
    hung.is_mended.set()
    async with match_service(tmp_path, call_addresses="public") as service:
        again = await service.run(plan=plan, waitMs=LONG_MS)
    assert (first.status, again.status) == ("suspended", "suspended")
    assert again.error is not None
    assert "loopback addresses are not called from here" in again.error
    assert len(hung.player.asked) == asked


async def test_an_agent_that_is_not_there_begins_no_match(tmp_path: Path) -> None:
    """Its field is named; the same call may come again."""
    url = f"http://127.0.0.1:{reserved_port()}/"
    async with match_service(tmp_path) as service:
        with pytest.raises(RemoteRefused) as refused:
            await service.run(plan={"players": [{"player": url}, {"player": "style:caller"}]})
        assert service.kept == []
    assert refused.value.reason == "AGENT_UNREACHABLE"
    assert [violation.field for violation in refused.value.violations] == ["plan.players.0.player"]
