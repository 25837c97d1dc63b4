"""Sessions over levels that are scripted: commands, and rooms that are idle, lost or not there.

`test_rows` proves what commands do over rooms of a casino.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from casino_agentkit import Waits
from casino_evaluator.domain.evaluation_session import (
    RESET,
    WAIT,
    LevelStanding,
    Moment,
    SessionCommand,
)
from casino_evaluator.domain.levels import ExaminedGame, ExaminedGames, Level
from casino_evaluator.errors import ErrorName, LevelLost, RequestRefused
from casino_evaluator.metrics import EvaluatorMetrics
from casino_evaluator.play.level_run import LevelRuns
from casino_evaluator.play.recorder import HandPlayed, LevelEnd, LevelProgress
from casino_evaluator.play.running_level import LevelRun
from casino_evaluator.service.level_play import FrameReply
from casino_evaluator.service.scorecards import Cards
from casino_evaluator.service.session_rooms import SessionRooms
from casino_evaluator.service.sessions import Sessions
from casino_evaluator.store.evaluator_schema import evaluator_database
from casino_evaluator.store.scorecard_rows import CardStore, SessionRows
from prometheus_client import CollectorRegistry

pytestmark = pytest.mark.asyncio

Json = dict[str, Any]

KEY = "key-of-ada"
LENGTH = 3
"""Actions of a level."""
LEVEL = Level("caller", 2, 100, LENGTH)
GAME = ExaminedGame("kuhn", "kuhn_poker", "KUHN", 100, 1, 2, (LEVEL,) * 3)
GAME_ID = GAME.game_id
CHECK, FOLD, UNAVAILABLE = 2, 1, 5


class ScriptedRun(LevelRun):
    """One attempt: before each decision the opponent acts, once it is let."""

    def __init__(self, levels: "ScriptedLevels", level: int, seed: str) -> None:
        self._levels, self._level, self._seed = levels, level, seed
        self._since: list[Moment] = []
        self.actions: list[Json] = []
        self._newest = self._moment("opponent")
        self._end: LevelEnd | None = None
        self.is_lost = self.gave_back = False
        self.opponent = None

    @property
    def newest(self) -> LevelProgress:
        """The newest moment alone."""
        return LevelProgress((self._newest,), self._end)

    @property
    def hands(self) -> Sequence[HandPlayed]:
        return [HandPlayed(number, 1) for number in range(1, len(self.actions) + 1)]

    async def act(self, action: Json, within_s: float) -> LevelProgress:
        self._raise_lost()
        if not self._newest.offers:
            raise ValueError("not the candidate's turn")
        self.actions.append(action)
        self._add(self._moment("opponent"))
        return await self.wait(within_s)

    async def wait(self, within_s: float) -> LevelProgress:
        self._raise_lost()
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._levels.opponent.wait()
                self._decide()
        since, self._since = tuple(self._since), []
        return LevelProgress(since or (self._newest,), self._end)

    async def close(self) -> None:
        if not self.gave_back:
            self.gave_back = True
            self._levels.free += 1

    def _decide(self) -> None:
        if self._newest.offers or self._end is not None:
            return
        folded = any(action["action_type"] == "FOLD" for action in self.actions)
        if folded or len(self.actions) == LENGTH:
            self._end = LevelEnd.FAILED if folded else LevelEnd.COMPLETED
            self._add(self._moment("end"))
        else:
            offers = ({"action_type": "CHECK"}, {"action_type": "FOLD"})
            self._add(self._moment("candidate", offers))

    def _add(self, moment: Moment) -> None:
        self._newest = moment
        self._since.append(moment)

    def _moment(self, turn: str, offers: tuple[Json, ...] = ()) -> Moment:
        acted = len(self.actions)
        public = {"turn": turn, "seed": self._seed, "acted": acted}
        return Moment(
            "kuhn_poker",
            1 + acted,
            "candidate",
            "opponent",
            {"public": public, "private": {}},
            LevelStanding(self._level, LENGTH, acted, 100, 100, 100),
            offers,
        )

    def _raise_lost(self) -> None:
        if self.is_lost:
            raise LevelLost("the room is gone")


class ScriptedLevels(LevelRuns):
    """Opens attempts while tables are free."""

    def __init__(self) -> None:
        self.free = 10
        self.opponent = asyncio.Event()
        self.opponent.set()
        self.lobby = asyncio.Event()
        self.lobby.set()
        self.waits = Waits()
        self.runs: list[ScriptedRun] = []
        self.differs = False
        """Whether a replay does not lead to the same moment."""

    async def start(
        self,
        game: ExaminedGame,
        level: int,
        seed: str,
        actions: Sequence[Json] = (),
        *,
        name: str = "Candidate",
        waiting: str = "",
        within_s: float,
    ) -> tuple[LevelRun, LevelProgress]:
        """Open an attempt and play it again."""
        del game, name, waiting
        await self.lobby.wait()
        if not self.free:
            raise RequestRefused(ErrorName.SERVER_ERROR, "no table is free", 503)
        if actions and self.differs:
            raise LevelLost("the replay differs")
        self.free -= 1
        run = ScriptedRun(self, level, seed)
        self.runs.append(run)
        progress = await run.wait(within_s)
        for action in actions:
            progress = await run.act(action, within_s)
        return run, progress


class SessionSide:
    """Sessions over scripted levels and a real database; the clock is set by tests."""

    def __init__(self, path: Path, stack: AsyncExitStack, most: int = 10) -> None:
        self.now = 100.0
        self.levels = ScriptedLevels()
        self._path = path
        self._stack = stack
        self._most = most
        self.budget_s = 7.0

    async def start(self) -> None:
        """Start, or start again on the same database as after a SIGKILL."""
        database = evaluator_database(self._path)
        await database.open()
        self._stack.push_async_callback(database.close)
        self.database = database
        games, rows = ExaminedGames([GAME]), SessionRows(database)
        self.cards = Cards(CardStore(database), rows, games.by_id)
        await self.cards.start()
        metrics = EvaluatorMetrics(CollectorRegistry())
        self.rooms = SessionRooms(self.levels, self._most, lambda: self.now, metrics, table_s=0)
        self.rooms.seed = "seed"
        self.sessions = Sessions(
            games,
            self.cards,
            rows,
            self.rooms,
            metrics,
            lambda: self.now,
            budget_s=self.budget_s,
        )

    async def restart(self) -> None:
        """Forget all that is in memory only."""
        await self.database.close()
        await self.start()

    async def begin(self, card: str | None = None, **opening: Any) -> FrameReply:
        self.card = card or await self.cards.open(KEY, **opening)
        return await self.sessions.begin(KEY, GAME_ID, self.card, SessionCommand(RESET))

    async def act(self, guid: str, *numbers: int) -> FrameReply:
        """Take actions; returns the last answer."""
        for number in numbers:
            reply = await self.sessions.act(KEY, GAME_ID, guid, SessionCommand(number))
        return reply

    async def reset(self, guid: str) -> FrameReply:
        return await self.sessions.reset(KEY, GAME_ID, guid, None, SessionCommand(RESET))

    async def run(self) -> Any:
        """Return the newest run of the card's only game."""
        summary = await self.cards.read(KEY, self.card)
        return summary["environments"][0]["runs"][-1]


@pytest_asyncio.fixture
async def side(tmp_path: Path) -> AsyncIterator[SessionSide]:
    """Run sessions with at most 10 rooms."""
    async with AsyncExitStack() as stack:
        side = SessionSide(tmp_path / "evaluator.db", stack)
        await side.start()
        yield side


async def test_a_level_is_played_to_its_end_and_the_next_one_begins(side: SessionSide) -> None:
    """In the same answer: the last frames of one level, then the first of the other."""
    first = await side.begin()
    assert (first.state, first.score, first.win_score) == ("NOT_FINISHED", 0, 3)
    on = await side.act(first.guid, *[CHECK] * (LENGTH - 1))
    assert len(on.frames) == 2
    over = await side.act(first.guid, CHECK)
    assert (over.score, over.state, len(over.frames)) == (1, "NOT_FINISHED", 3)
    won = await side.act(first.guid, *[CHECK] * 2 * LENGTH)
    assert (won.score, won.state, won.available_actions) == (3, "WIN", ())
    assert side.levels.free == 10
    run = await side.run()
    assert (run["state"], run["levels_completed"], run["actions"]) == ("WIN", 3, 3 * LENGTH)


async def test_a_room_in_which_nothing_was_played_is_kept(side: SessionSide) -> None:
    first = await side.begin()
    assert (await side.reset(first.guid)).frames == first.frames
    await side.act(first.guid, UNAVAILABLE)
    assert (await side.reset(first.guid)).frames == first.frames
    assert len(side.levels.runs) == 1


async def test_while_the_opponent_thinks_nothing_is_applied(side: SessionSide) -> None:
    """The answer comes in time; the next action shows what came since, and is not taken."""
    side.budget_s = 0.2
    await side.restart()
    first = await side.begin()
    side.levels.opponent.clear()
    reply = await side.act(first.guid, CHECK)
    assert (reply.available_actions, reply.state) == ((WAIT,), "NOT_FINISHED")
    side.levels.opponent.set()
    shown = await side.act(first.guid, FOLD)
    assert (shown.state, shown.available_actions) == ("NOT_FINISHED", (1, 2, 6))
    assert len(side.levels.runs[0].actions) == 1
    run = await side.run()
    assert run["actions"] == 2
    over = await side.act(first.guid, FOLD)
    assert over.state == "GAME_OVER"


async def test_commands_of_a_session_are_taken_one_after_the_other(side: SessionSide) -> None:
    """All at once: each is counted once, and the level ends when it should."""
    first = await side.begin()
    replies = await asyncio.gather(*(side.act(first.guid, CHECK) for _ in range(2 * LENGTH)))
    assert sorted(reply.score for reply in replies) == [0] * 2 + [1] * 3 + [2]
    assert (await side.run())["actions"] == 2 * LENGTH


async def test_in_competition_mode_a_level_is_reset_at_most(side: SessionSide) -> None:
    """A second session of the game is refused, and a game that is won is over."""
    first = await side.begin(competition_mode=True)
    with pytest.raises(RequestRefused):
        await side.begin(side.card)
    await side.act(first.guid, *[CHECK] * LENGTH)
    again = await side.reset(first.guid)
    assert (again.score, again.full_reset) == (1, False)
    await side.act(first.guid, *[CHECK] * 2 * LENGTH)
    with pytest.raises(RequestRefused, match="played once") as refused:
        await side.reset(first.guid)
    assert refused.value.code is ErrorName.GAME_NOT_AVAILABLE_ERROR


async def test_a_closed_card_takes_no_command(side: SessionSide) -> None:
    first = await side.begin()
    await side.cards.close(KEY, side.card)
    await side.rooms.close_card(side.card)
    assert side.levels.free == 10
    for send in (side.act(first.guid, CHECK), side.reset(first.guid)):
        with pytest.raises(RequestRefused) as refused:
            await send
        assert (refused.value.code, refused.value.status) == (ErrorName.SERVER_ERROR, 400)


async def test_a_level_is_played_again_after_a_restart(side: SessionSide) -> None:
    first = await side.begin()
    before = await side.act(first.guid, *[CHECK] * (LENGTH + 1))
    seen = await side.sessions.observe(KEY, first.guid)
    await side.restart()
    assert await side.sessions.observe(KEY, first.guid) == seen
    after = await side.act(first.guid, UNAVAILABLE)
    assert (after.score, after.frames[-1]) == (before.score, before.frames[-1])
    assert (await side.run())["levels_completed"] == 1


async def test_an_idle_room_is_closed_and_opened_again(side: SessionSide) -> None:
    first = await side.begin()
    before = await side.act(first.guid, CHECK)
    side.now += 59
    await side.rooms.close_idle(60)
    assert side.levels.free == 9
    side.now += 1
    await side.rooms.close_idle(60)
    assert side.levels.free == 10
    assert (await side.act(first.guid, UNAVAILABLE)).frames == before.frames[-1:]


async def test_a_lost_room_is_played_again_within_the_command(side: SessionSide) -> None:
    first = await side.begin()
    await side.act(first.guid, CHECK)
    side.levels.runs[0].is_lost = True
    reply = await side.act(first.guid, CHECK)
    assert reply.state == "NOT_FINISHED"
    assert len(side.levels.runs[1].actions) == 2
    assert (await side.run())["actions"] == 2


async def test_a_level_that_cannot_be_played_again_needs_a_reset(side: SessionSide) -> None:
    first = await side.begin()
    await side.act(first.guid, *[CHECK] * (LENGTH + 1))
    side.levels.runs[-1].is_lost = side.levels.differs = True
    with pytest.raises(RequestRefused) as refused:
        await side.act(first.guid, CHECK)
    assert refused.value.code is ErrorName.GAME_NOT_STARTED_ERROR
    again = await side.reset(first.guid)
    assert (again.score, again.full_reset) == (1, False)
    assert (await side.act(first.guid, CHECK)).score == 1


async def test_without_a_free_table_nothing_changes(side: SessionSide) -> None:
    """The RESET that is sent later works, and nothing was counted."""
    side.levels.free = 1
    first = await side.begin()
    await side.act(first.guid, CHECK)
    side.levels.runs[0].gave_back = True  # its table is not given back
    side.budget_s = 0.2
    await side.restart()
    with pytest.raises(RequestRefused, match="no table is free") as refused:
        await side.reset(first.guid)
    assert refused.value.status == 503
    side.levels.free = 1
    assert not (await side.reset(first.guid)).full_reset
    run = await side.run()
    assert (run["actions"], run["resets"]) == (2, 1)


async def test_a_lobby_that_takes_its_time_loses_nothing(side: SessionSide) -> None:
    """What is sent meanwhile is answered in time and not applied; the first frames come later."""
    usual = await side.begin()
    side.budget_s = 0.1
    await side.restart()
    side.levels.lobby.clear()
    early = await side.begin()
    assert (early.state, early.available_actions) == ("NOT_FINISHED", (WAIT,))
    assert (await side.reset(early.guid)).frames == early.frames
    assert (await side.act(early.guid, FOLD)).frames == early.frames
    assert (await side.sessions.observe(KEY, early.guid))["available_actions"] == [WAIT]
    side.levels.lobby.set()
    side.budget_s = 7.0
    assert (await side.act(early.guid, FOLD)).frames == usual.frames
    assert len(side.levels.runs) == 2
    assert (await side.act(early.guid, FOLD)).state == "GAME_OVER"


async def test_the_room_unused_for_longest_is_closed_for_the_next_session(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        side = SessionSide(tmp_path / "evaluator.db", stack, most=2)
        await side.start()
        one = await side.begin()
        before = await side.act(one.guid, CHECK)
        side.now += 1
        two = await side.begin(side.card)
        side.now += 1
        await side.begin(side.card)
        assert [run.gave_back for run in side.levels.runs] == [True, False, False]
        assert (await side.act(one.guid, UNAVAILABLE)).frames == before.frames[-1:]
        assert side.levels.runs[1].gave_back
        assert (await side.act(two.guid, CHECK)).state == "NOT_FINISHED"
