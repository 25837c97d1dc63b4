"""Attempts at levels in a casino of one process: equal, replayed, late, lost, played by agents."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import httpx
import pytest
import pytest_asyncio
from casino_contracts import (
    CreateRoomInput,
    Defaulted,
    GameActionRequest,
    GameActionResponse,
    RegisterPlayerInput,
    RoomSnapshot,
    RoomSummary,
)
from casino_evaluator.errors import LevelLost, RequestRefused
from casino_evaluator.play.agent_run import GONE_AFTER
from casino_evaluator.play.recorder import LevelEnd
from casino_evaluator.service.level_play import sums_of
from casino_lobby_client.errors import LobbyAway
from casino_lobby_client.lobby_client import LobbyClient
from support.evaluator.level_side import (
    DICEY,
    KUHN,
    SEATING,
    SEED,
    WITHIN_S,
    LiveLevels,
    examined,
    hosting,
    level,
    live_levels,
    played,
)
from support.players.any_player import wild, wrong
from support.processes import eventually

pytestmark = pytest.mark.asyncio(loop_scope="module")
KILLED = "http://killed"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live() -> AsyncIterator[LiveLevels]:
    """Run one casino for all tests of this module."""
    async with live_levels(tables=12) as running:
        yield running


async def test_the_same_actions_give_the_same_moments(live: LiveLevels) -> None:
    """Another seed gives others; the level ends by its target, and the room says the same."""
    attempts = []
    for seed in (SEED, SEED, "another"):
        run, progress = await live.start(seed=seed)
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


@pytest.mark.parametrize("game_type", ["texas-holdem", "blackjack"])
async def test_every_game_is_played_to_its_end(live: LiveLevels, game_type: str) -> None:
    """Blackjack against the bank alone; a decision is always the last of the new moments."""
    game = examined(game_type, level("dicey", hands=2, target=1), stack=200)
    attempts = []
    for _ in range(2):
        run, progress = await live.start(1, game=game)
        assert progress.moments[-1].offers
        moments, _ = await played(run, progress)
        assert run.newest.end is LevelEnd.COMPLETED
        attempts.append(moments)
        await run.close()
    assert attempts[0] == attempts[1]


async def test_a_replay_leads_to_the_same_moment(live: LiveLevels) -> None:
    run, progress = await live.start()
    moments, actions = await played(run, progress)
    await run.close()
    again, progress = await live.start(actions=actions[:3])
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
            await live.start(actions=actions)


async def test_a_hanging_opponent_costs_no_more_than_the_limit(live: LiveLevels) -> None:
    """The table decides for it long before it would answer, and play goes on."""
    run, progress = await live.start(1, within_s=1, pause=timedelta(seconds=2 * WITHIN_S))
    assert not progress.moments[-1].offers, "the opponent decides first in this deal"
    with pytest.raises(ValueError, match="not the candidate's turn"):
        await run.act({"action_type": "CHECK"}, WITHIN_S)
    progress = await run.wait(0.2)  # virtual: it waits no longer than it is asked to
    assert not progress.moments[-1].offers
    progress = await run.wait(WITHIN_S)
    assert run.opponent is not None
    while not run.opponent.defaults:  # until a question overtakes one that hangs
        progress = await run.act(progress.moments[-1].offers[0], WITHIN_S)
    assert sums_of(run).opponent_defaults == run.opponent.defaults
    await run.close()


async def test_notices_that_are_lost_change_nothing_or_lose_the_level(live: LiveLevels) -> None:
    """The opponent's notice tells a result too; without both it is not known."""
    run, progress = await live.start()
    moments, actions = await played(run, progress)
    await run.close()
    try:
        live.lost.append(b'"playerId":"player-1"')
        run, progress = await live.start()
        assert (await played(run, progress, actions))[0] == moments
        await run.close()
        live.lost[:] = [b"completed"]
        with pytest.raises(LevelLost, match="a notice of the table did not come"):
            await live.start(actions=actions[:4])
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
    run, _ = await live.start()
    assert await live.open_rooms()
    await run.close()
    await run.close()
    with pytest.raises(LevelLost, match="closed"):
        await run.act({"action_type": "CHECK"}, WITHIN_S)
    lobbies = [SteppedLobby(live, step) for step in range(1, 12)]
    for stepped in lobbies:
        starting = asyncio.create_task(live.start(1, lobby=stepped))
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

    async def create_room(self, order: CreateRoomInput | dict[str, Any]) -> RoomSnapshot:
        """Open a room, and seat the intruder."""
        room = await super().create_room(order)
        if self._left:
            self._left -= 1
            player = RegisterPlayerInput(room_id=room.room_id, agent_card_url=self._card_url)
            await self.register(player, key=room.room_id)
        return room


async def test_a_room_with_somebody_else_in_it_is_left(live: LiveLevels) -> None:
    """Another one is opened; at last the lobby is to blame."""
    card_url = live.serve("intruder", wild)
    run, progress = await live.start(lobby=IntrudedLobby(live, card_url, 1))
    assert progress.moments
    await run.close()
    with pytest.raises(RequestRefused, match="Others took the seats") as refused:
        await live.start(lobby=IntrudedLobby(live, card_url, 9))
    assert refused.value.status == 503
    live.hosted.remove("intruder")


def calling(request: GameActionRequest) -> GameActionResponse:
    kinds = {str(one["action_type"]).lower(): one for one in request.available_actions}
    offer = kinds.get("check") or kinds.get("call") or request.available_actions[0]
    return GameActionResponse(action={"action_type": offer["action_type"]})


def now_and_then(request: GameActionRequest) -> GameActionResponse:
    """Answer right in every second hand, and wrong in the others."""
    return calling(request) if (request.hand_number or 0) % 2 else wrong(request)


def without_a_model(request: GameActionRequest) -> GameActionResponse:
    """Answer as `calling`, because the model fails."""
    why = Defaulted(reason="model_failed", detail="401: no such key")
    return calling(request).model_copy(update={"defaulted": why})


async def test_an_agent_plays_what_a_client_plays(live: LiveLevels) -> None:
    """The same seed and decisions give the same hands, twice."""
    runs, card_url = live.runs(), live.serve("caller", calling)
    by_agent = [await runs.play_agent(KUHN, DICEY, SEED, card_url) for _ in range(2)]
    assert by_agent[0] == by_agent[1]
    run, progress = await live.start()
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
    for never in (wrong, without_a_model):
        played = await runs.play_agent(game, 1, SEED, live.serve(never.__name__, never))
        counts = (played.end, played.actions, played.not_own)
        assert counts == (LevelEnd.FAILED, GONE_AFTER, GONE_AFTER), never
        live.hosted.remove(never.__name__)
    assert (sometimes.end, sometimes.opponent_defaults) == (LevelEnd.COMPLETED, 0)
    live.hosted.remove("sometimes")


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
    run, progress = await live.start()
    await live.lobby.close_room((await live.lobby.open_rooms())[-1].room_id)
    with pytest.raises(LevelLost):
        await played(run, progress)
    with pytest.raises(LevelLost):
        await run.wait(WITHIN_S)


class AwayLobby(LobbyClient):
    """A lobby that cannot be reached at first, when its rooms are asked for."""

    def __init__(self, live: LiveLevels, times: int) -> None:
        super().__init__(live.casino.http, seating=SEATING)
        self._times = times

    async def open_rooms(self) -> list[RoomSummary]:
        """Return the open rooms, but not the first few times."""
        self._times -= 1
        if self._times >= 0:
            raise LobbyAway("not yet")
        return await super().open_rooms()


async def test_rooms_of_a_killed_evaluator_are_closed_at_its_next_start(live: LiveLevels) -> None:
    """Their seats answer by default from then on; rooms of others stay."""
    async with hosting(live.casino, KILLED) as before:
        killed = before.killed_runs()
        await killed.start_up("the instance of a database")
        others = await live.open_rooms()
        await killed.start(KUHN, DICEY, SEED, within_s=WITHIN_S)
        (left,) = {*await live.open_rooms()} - {*others}
    other, _ = await live.start()
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
