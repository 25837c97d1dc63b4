"""Levels played by A2A agents, and rooms whose evaluator is gone."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from casino_contracts import GameActionRequest, GameActionResponse, RoomSummary
from casino_evaluator.errors import LevelLost, RequestRefused
from casino_evaluator.play.agent_run import GONE_AFTER
from casino_evaluator.play.level_run import LevelEnd
from casino_seats.errors import LobbyUnavailable
from casino_seats.lobby_client import LobbyClient
from support.evaluator.level_side import (
    KUHN,
    SEATING,
    WITHIN_S,
    LiveLevels,
    examined,
    hosting,
    level,
    live_levels,
    played,
)
from support.players.any_player import wrong
from support.processes import eventually

pytestmark = pytest.mark.asyncio(loop_scope="module")
Json = dict[str, Any]
DICEY = 2
KILLED = "http://killed"
SEED = "a level's seed"


def calling(request: GameActionRequest) -> GameActionResponse:
    kinds = {str(one["action_type"]).lower(): one for one in request.available_actions}
    offer = kinds.get("check") or kinds.get("call") or request.available_actions[0]
    return GameActionResponse(action={"action_type": offer["action_type"]})


def now_and_then(request: GameActionRequest) -> GameActionResponse:
    """Answer right in every second hand, and wrong in the others."""
    return calling(request) if (request.hand_number or 0) % 2 else wrong(request)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live() -> AsyncIterator[LiveLevels]:
    """Run one casino for all tests of this module."""
    async with live_levels(tables=6) as running:
        yield running


async def test_an_agent_plays_what_a_client_plays(live: LiveLevels) -> None:
    """The same seed and decisions give the same hands, twice."""
    runs, card_url = live.runs(), live.serve("caller", calling)
    by_agent = [await runs.play_agent(KUHN, DICEY, SEED, card_url) for _ in range(2)]
    assert by_agent[0] == by_agent[1]
    run, progress = await runs.start(KUHN, DICEY, SEED, within_s=WITHIN_S)
    moments, actions = await played(run, progress)
    await run.close()
    assert by_agent[0].hands == tuple(run.hands)
    assert (by_agent[0].actions, by_agent[0].not_own) == (len(actions), 0)
    assert by_agent[0].end is run.newest.end
    assert by_agent[0].state == moments[-1].state["public"]
    live.hosted.remove("caller")


async def test_decisions_that_are_not_its_own_are_counted(live: LiveLevels) -> None:
    """One that is never there fails the level soon, whatever its chips."""
    runs = live.runs()
    game = examined("kuhn_poker", level("dicey", hands=14, target=1))
    sometimes = await runs.play_agent(
        game, 1, SEED, live.serve("sometimes", now_and_then), action_timeout_ms=2_000
    )
    assert 0 < sometimes.not_own < sometimes.actions
    assert len(sometimes.hands) == 14
    never = await runs.play_agent(game, 1, SEED, live.serve("never", wrong))
    assert (never.end, never.actions, never.not_own) == (LevelEnd.FAILED, GONE_AFTER, GONE_AFTER)
    assert sometimes.end is LevelEnd.COMPLETED
    live.hosted.remove("sometimes")
    live.hosted.remove("never")


async def test_an_agent_that_cannot_be_seated_is_refused(live: LiveLevels) -> None:
    """The message says who, and why; no room is left."""
    nobody = "http://nobody/.well-known/agent-card.json"
    before = await live.open_rooms()
    with pytest.raises(RequestRefused, match="Ann: ") as refused:
        await live.runs().play_agent(KUHN, 1, SEED, nobody, name="Ann")
    assert refused.value.status == 503

    async def is_clean() -> bool:
        return {*await live.open_rooms()} <= {*before}

    await eventually(is_clean)


async def test_a_room_that_somebody_closes_loses_the_level(live: LiveLevels) -> None:
    """Its hand is played to the end, and no other one begins."""
    run, progress = await live.runs().start(KUHN, DICEY, SEED, within_s=WITHIN_S)
    await live.lobby.close_room((await live.lobby.rooms())[-1].room_id)
    with pytest.raises(LevelLost):
        await played(run, progress)
    with pytest.raises(LevelLost):
        await run.wait(WITHIN_S)


class AwayLobby(LobbyClient):
    """A lobby that cannot be reached at first, when its rooms are asked for."""

    def __init__(self, live: LiveLevels, times: int) -> None:
        super().__init__(live.casino.http, seating=SEATING)
        self._times = times

    async def rooms(self) -> list[RoomSummary]:
        """Return the open rooms, but not the first few times."""
        self._times -= 1
        if self._times >= 0:
            raise LobbyUnavailable("not yet")
        return await super().rooms()


async def test_rooms_of_a_killed_evaluator_are_closed_at_its_next_start(live: LiveLevels) -> None:
    """Their seats answer by default from then on; rooms of others stay."""
    async with hosting(live.casino, KILLED) as before:
        killed = before.killed_runs()
        await killed.start_up("the instance of a database")
        others = await live.open_rooms()
        await killed.start(KUHN, DICEY, SEED, within_s=WITHIN_S)
        (left,) = {*await live.open_rooms()} - {*others}
    other, _ = await live.runs().start(KUHN, DICEY, SEED, within_s=WITHIN_S)
    assert left in await live.open_rooms()
    async with hosting(live.casino, KILLED) as after:
        await after.runs().start_up("another instance")
        runs = after.runs(lobby=AwayLobby(live, 2))
        await runs.start_up("the instance of a database")
        mine, _ = await runs.start(KUHN, DICEY, SEED, within_s=WITHIN_S)

        async def is_closed() -> bool:
            return left not in await live.open_rooms()

        await eventually(is_closed)
        for run in (mine, other):
            assert (await run.wait(WITHIN_S)).moments[-1].offers
            await run.close()
