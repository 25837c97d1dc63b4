"""Attempts at levels in a casino of one process: equal, replayed, late, lost."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import httpx
import pytest
import pytest_asyncio
from casino_contracts import RoomSummary
from casino_evaluator.errors import LevelLost, RequestRefused
from casino_evaluator.play.level_run import LevelEnd
from casino_seats.lobby_client import LobbyClient
from support.evaluator.level_side import (
    KUHN,
    SEATING,
    WITHIN_S,
    LiveLevels,
    examined,
    level,
    live_levels,
    played,
)
from support.players.any_player import wild
from support.processes import eventually

pytestmark = pytest.mark.asyncio(loop_scope="module")
DICEY = 2
SEED = "a level's seed"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live() -> AsyncIterator[LiveLevels]:
    """Run one casino for all tests of this module."""
    async with live_levels(tables=12) as running:
        yield running


async def test_the_same_actions_give_the_same_moments(live: LiveLevels) -> None:
    """Another seed gives others; the level ends by its target, and the room says the same."""
    runs, attempts = live.runs(), []
    for seed in (SEED, SEED, "another"):
        run, progress = await runs.start(KUHN, DICEY, seed, within_s=WITHIN_S)
        moments, _ = await played(run, progress)
        last = moments[-1].standing
        assert last.hands_played == last.hands == len(run.hands) == 6
        assert last.stack == 40 + sum(hand.net for hand in run.hands) == 80 - last.opponent_stack
        is_completed = run.newest.end is LevelEnd.COMPLETED
        assert is_completed == (last.stack >= last.target)
        with pytest.raises(ValueError, match="not the candidate's turn"):
            await run.act({"action_type": "CHECK"}, WITHIN_S)
        await run.close()
        attempts.append(moments)
    assert attempts[0] == attempts[1]
    assert attempts[0] != attempts[2]
    assert "player-" not in repr(attempts[0]), "ids of the lobby differ from room to room"


@pytest.mark.parametrize("game_type", ["texas-holdem", "leduc_poker", "simple_card", "blackjack"])
async def test_every_game_is_played_to_its_end(live: LiveLevels, game_type: str) -> None:
    """Blackjack against the bank alone; a decision is always the last of the new moments."""
    game = examined(game_type, level("dicey", hands=2, target=1), stack=200)
    attempts = []
    for _ in range(2):
        run, progress = await live.runs().start(game, 1, SEED, within_s=WITHIN_S)
        assert progress.moments[-1].offers
        moments, _ = await played(run, progress)
        assert run.newest.end is LevelEnd.COMPLETED
        attempts.append(moments)
        await run.close()
    assert attempts[0] == attempts[1]


async def test_a_replay_leads_to_the_same_moment(live: LiveLevels) -> None:
    """Play goes on from there as before."""
    runs = live.runs()
    run, progress = await runs.start(KUHN, DICEY, SEED, within_s=WITHIN_S)
    moments, actions = await played(run, progress)
    await run.close()
    again, progress = await runs.start(KUHN, DICEY, SEED, actions[:3], within_s=WITHIN_S)
    decisions = [moment for moment in moments if moment.offers]
    assert again.newest.moments == (decisions[3],)
    rest, _ = await played(again, progress, actions[3:])
    assert rest == moments[-len(rest) :]
    assert again.hands == run.hands
    await again.close()


async def test_a_replay_that_differs_loses_the_level(live: LiveLevels) -> None:
    """An action that is not offered, or one too many."""
    call = {"action_type": "CALL"}
    for actions in ([{"action_type": "SURRENDER"}], [call, *[{"action_type": "CHECK"}] * 40]):
        with pytest.raises(LevelLost, match="the replay differs"):
            await live.runs().start(KUHN, DICEY, SEED, actions, within_s=WITHIN_S)


async def test_an_action_that_is_not_offered_changes_nothing(live: LiveLevels) -> None:
    """The decision stays open; a fault of the opponent costs the candidate nothing."""
    game = examined("kuhn_poker", level("failing"))
    run, progress = await live.runs().start(game, 1, SEED, within_s=WITHIN_S)
    before = run.newest
    with pytest.raises(ValueError, match="not offered"):
        await run.act({"action_type": "SURRENDER"}, WITHIN_S)
    assert run.newest == before
    await played(run, progress)
    assert run.newest.end is not None
    await run.close()


async def test_a_hanging_opponent_costs_no_more_than_the_limit(live: LiveLevels) -> None:
    """The table decides for it long before it would answer, and play goes on."""
    runs = live.runs(pause=timedelta(seconds=2 * WITHIN_S))
    run, progress = await runs.start(KUHN, 1, SEED, within_s=1)
    assert not progress.moments[-1].offers, "the opponent decides first in this deal"
    with pytest.raises(ValueError, match="not the candidate's turn"):
        await run.act({"action_type": "CHECK"}, WITHIN_S)
    progress = await run.wait(0.2)  # virtual: it waits no longer than it is asked to
    assert not progress.moments[-1].offers
    progress = await run.wait(WITHIN_S)
    assert progress.moments[-1].offers
    await run.close()


async def test_notices_that_are_lost_change_nothing_or_lose_the_level(live: LiveLevels) -> None:
    """The opponent's notice tells a result too; without both it is not known."""
    runs = live.runs()
    run, progress = await runs.start(KUHN, DICEY, SEED, within_s=WITHIN_S)
    moments, actions = await played(run, progress)
    await run.close()
    try:
        live.lost.append(b'"playerId":"player-1"')
        run, progress = await runs.start(KUHN, DICEY, SEED, within_s=WITHIN_S)
        assert (await played(run, progress, actions))[0] == moments
        await run.close()
        live.lost[:] = [b"completed"]
        with pytest.raises(LevelLost, match="a notice of the table did not come"):
            await runs.start(KUHN, DICEY, SEED, actions[:4], within_s=WITHIN_S)
    finally:
        live.lost.clear()


class SteppedLobby(LobbyClient):
    """A lobby at whose nth request `reached` is set."""

    def __init__(self, live: LiveLevels, step: int) -> None:
        self.reached = asyncio.Event()
        self._left = step
        http = httpx.AsyncClient(
            base_url=live.casino.url, event_hooks={"request": [self._count]}, trust_env=False
        )
        super().__init__(http, seating=SEATING)

    async def _count(self, _request: httpx.Request) -> None:
        self._left -= 1
        if not self._left:
            self.reached.set()


async def test_rooms_are_closed_whatever_happens(live: LiveLevels) -> None:
    """In the middle of a hand, at each request while one is opened, and twice."""
    runs = live.runs()
    run, _ = await runs.start(KUHN, 1, SEED, within_s=WITHIN_S)
    assert await live.open_rooms()
    await run.close()
    await run.close()
    with pytest.raises(LevelLost, match="closed"):
        await run.act({"action_type": "CHECK"}, WITHIN_S)
    lobbies = [SteppedLobby(live, step) for step in range(1, 12)]
    for stepped in lobbies:
        starting = asyncio.create_task(
            live.runs(lobby=stepped).start(KUHN, 1, SEED, within_s=WITHIN_S)
        )
        reached = asyncio.create_task(stepped.reached.wait())
        await asyncio.wait([starting, reached], return_when=asyncio.FIRST_COMPLETED)
        is_opened = starting.done()
        starting.cancel()
        reached.cancel()
        await asyncio.wait([starting, reached])
        if is_opened:
            started, _ = starting.result()
            await started.close()
            break
    assert 3 < lobbies.index(stepped) < 10, "each request of an attempt was cut"

    async def is_clean() -> bool:
        return not await live.open_rooms() and not len(live.hosted)

    await eventually(is_clean)
    for stepped in lobbies:
        await stepped.http.aclose()


class IntrudedLobby(LobbyClient):
    """A lobby in whose new rooms somebody takes a seat at once."""

    def __init__(self, live: LiveLevels, card_url: str, rooms: int) -> None:
        super().__init__(live.casino.http, seating=SEATING)
        self._card_url = card_url
        self._left = rooms

    async def create_room(self, order: dict[str, Any]) -> RoomSummary:
        """Open a room, and seat the intruder."""
        room = await super().create_room(order)
        if self._left:
            self._left -= 1
            await self.register(room.room_id, self._card_url, key=room.room_id)
        return room


async def test_a_room_with_somebody_else_in_it_is_left(live: LiveLevels) -> None:
    """Another one is opened; at last the lobby is to blame."""
    card_url = live.serve("intruder", wild)
    run, progress = await live.runs(lobby=IntrudedLobby(live, card_url, 1)).start(
        KUHN, 1, SEED, within_s=WITHIN_S
    )
    assert progress.moments
    await run.close()
    with pytest.raises(RequestRefused, match="Others took the seats") as refused:
        await live.runs(lobby=IntrudedLobby(live, card_url, 9)).start(
            KUHN, 1, SEED, within_s=WITHIN_S
        )
    assert refused.value.status == 503
    live.hosted.remove("intruder")
