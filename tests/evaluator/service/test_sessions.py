"""Sessions over levels that are scripted: commands, and rooms that are idle, lost or not there.

`test_rows_sessions` proves what commands do over rooms of a casino.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import pytest_asyncio
from casino_evaluator.domain.command import WAIT
from casino_evaluator.errors import Code, RequestRefused
from support.evaluator.scripted_levels import CHECK, FOLD, LENGTH, UNAVAILABLE
from support.evaluator.session_side import KEY, SessionSide

pytestmark = pytest.mark.asyncio


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
    """Clients reset twice at the start."""
    first = await side.begin()
    assert (await side.reset(first.guid)).frames == first.frames
    await side.act(first.guid, UNAVAILABLE)
    assert (await side.reset(first.guid)).frames == first.frames
    assert side.levels.opened == 1


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
    assert refused.value.code is Code.GAME_NOT_AVAILABLE_ERROR


async def test_a_closed_card_takes_no_command(side: SessionSide) -> None:
    """Its rooms can be closed at once."""
    first = await side.begin()
    await side.cards.close(KEY, side.card)
    await side.rooms.close_card(side.card)
    assert side.levels.free == 10
    for send in (side.act(first.guid, CHECK), side.reset(first.guid)):
        with pytest.raises(RequestRefused) as refused:
            await send
        assert (refused.value.code, refused.value.status) == (Code.SERVER_ERROR, 400)


async def test_a_level_is_played_again_after_a_restart(side: SessionSide) -> None:
    """Level, score, moment and card are the same."""
    first = await side.begin()
    before = await side.act(first.guid, *[CHECK] * (LENGTH + 1))
    seen = await side.sessions.observe(KEY, first.guid)
    await side.restart()
    assert await side.sessions.observe(KEY, first.guid) == seen
    after = await side.act(first.guid, UNAVAILABLE)
    assert (after.score, after.frames[-1]) == (before.score, before.frames[-1])
    assert (await side.run())["levels_completed"] == 1


async def test_an_idle_room_is_closed_and_opened_again(side: SessionSide) -> None:
    """A session in use keeps its room."""
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
    """The action is taken once."""
    first = await side.begin()
    await side.act(first.guid, CHECK)
    side.levels.runs[0].is_lost = True
    reply = await side.act(first.guid, CHECK)
    assert reply.state == "NOT_FINISHED"
    assert len(side.levels.runs[1].actions) == 2
    assert (await side.run())["actions"] == 2


async def test_a_level_that_cannot_be_played_again_needs_a_reset(side: SessionSide) -> None:
    """Of the level: its score stays."""
    first = await side.begin()
    await side.act(first.guid, *[CHECK] * (LENGTH + 1))
    side.levels.runs[-1].is_lost = side.levels.differs = True
    with pytest.raises(RequestRefused) as refused:
        await side.act(first.guid, CHECK)
    assert refused.value.code is Code.GAME_NOT_STARTED_ERROR
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
    assert side.levels.opened == 2
    assert (await side.act(early.guid, FOLD)).state == "GAME_OVER"


async def test_the_room_unused_for_longest_is_closed_for_the_next_session(tmp_path: Path) -> None:
    """And its session goes on where it was."""
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
