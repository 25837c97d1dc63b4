"""Sessions over levels that are scripted: what commands do and count."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import pytest_asyncio
from casino_evaluator.domain.command import RESET, WAIT, Command
from casino_evaluator.errors import Code, RequestRefused
from support.evaluator.scripted_levels import CHECK, FOLD, LENGTH, UNAVAILABLE
from support.evaluator.session_side import GAME_ID, KEY, SessionSide

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


async def test_reset_of_a_level_and_of_the_game(side: SessionSide) -> None:
    """The first frame is the same one, and a full reset is a further run."""
    first = await side.begin()
    await side.act(first.guid, CHECK)
    again = await side.reset(first.guid)
    assert (again.frames, again.full_reset) == (first.frames, False)
    second = await side.act(first.guid, *[CHECK] * LENGTH)
    full = await side.reset(first.guid)
    assert (full.frames, full.full_reset, full.score) == (first.frames, True, 0)
    assert second.frames[-1] != first.frames[-1]
    summary = await side.cards.read(KEY, side.card)
    runs = summary["environments"][0]["runs"]
    assert [run["guid"] for run in runs] == [first.guid] * 2
    assert [run["resets"] for run in runs] == [1, 0]


async def test_a_room_in_which_nothing_was_played_is_kept(side: SessionSide) -> None:
    """Clients reset twice at the start."""
    first = await side.begin()
    assert (await side.reset(first.guid)).frames == first.frames
    await side.act(first.guid, UNAVAILABLE)
    assert (await side.reset(first.guid)).frames == first.frames
    assert side.levels.opened == 1


async def test_an_unavailable_action_changes_nothing_and_counts(side: SessionSide) -> None:
    """And makes the next RESET one of the level."""
    first = await side.begin()
    reply = await side.act(first.guid, UNAVAILABLE)
    assert reply.frames == first.frames[-1:]
    assert (await side.run())["actions"] == 1
    assert not (await side.reset(first.guid)).full_reset


async def test_a_session_that_is_over_needs_a_reset(side: SessionSide) -> None:
    """GAME_OVER: the level again; it takes no action."""
    first = await side.begin()
    lost = await side.act(first.guid, FOLD)
    assert (lost.state, lost.score) == ("GAME_OVER", 0)
    with pytest.raises(RequestRefused, match="send RESET to begin playing") as refused:
        await side.act(first.guid, CHECK)
    assert refused.value.code is Code.GAME_NOT_STARTED_ERROR
    again = await side.reset(first.guid)
    assert (again.state, again.full_reset, again.frames) == ("NOT_FINISHED", False, first.frames)


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


async def test_a_session_shows_itself_to_its_key_and_game_only(side: SessionSide) -> None:
    """Others get 400, and nothing changes."""
    first = await side.begin()
    for key, game, guid in (
        ("key-of-bob", GAME_ID, first.guid),
        (KEY, "zzzz", first.guid),
        (KEY, GAME_ID, "unknown"),
    ):
        with pytest.raises(RequestRefused) as refused:
            await side.sessions.act(key, game, guid, Command(CHECK))
        assert refused.value.status == 400
    assert (await side.run())["actions"] == 0
    other = await side.cards.open(KEY)
    with pytest.raises(RequestRefused, match="another scorecard"):
        await side.sessions.reset(KEY, GAME_ID, first.guid, other, Command(RESET))


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
