"""What an evaluator has answered lasts over its end, however it ends."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from casino_evaluator.domain.evaluation_session import EvaluationSession
from casino_evaluator.domain.scorecard import CountedCommand, HandSums, Run, Scorecard
from casino_evaluator.errors import StoreFailed
from casino_evaluator.store.evaluator_keys import KeyRows, kept_identity
from casino_evaluator.store.evaluator_schema import evaluator_database
from casino_evaluator.store.replay_rows import CommandRows, Recorded
from casino_evaluator.store.scorecard_rows import CardStore, SessionRows
from casino_storage.sqlite_file import SqliteFile
from support.evaluator.card_side import KUHN as GAME

CARD = Scorecard("card", "key", 1.0, 1.0, tags=("agent", "é\ud800"), opaque={"a": [1]}, seed="s")
SESSION = EvaluationSession("guid", "key", "card", GAME.game_id, commands=1)
GRID = tuple(tuple((row + column) % 16 for column in range(64)) for row in range(64))
DIGITS = "".join(f"{colour:x}" for row in GRID for colour in row)


def recorded(number: int = 1, frames: int = 1) -> Recorded:
    action_input = {"id": number, "data": {}, "reasoning": "\ud800"}
    return Recorded(action_input, (GRID,) * frames, "NOT_FINISHED", 0, (1, 6))


@asynccontextmanager
async def opened(path: Path) -> AsyncIterator[SqliteFile]:
    database = evaluator_database(path / "evaluator.db")
    await database.open()
    try:
        yield database
    finally:
        await database.close()


async def test_a_card_lasts_with_its_runs_sessions_and_commands(tmp_path: Path) -> None:
    run = Run.begun(GAME, "guid")
    async with opened(tmp_path) as database:
        store = CardStore(database)
        await store.add(CARD)
        await store.take(SESSION, run, recorded(), at=2.0)
    async with opened(tmp_path) as database:
        store = CardStore(database)
        assert await store.get("card") == replace(CARD, updated_at=2.0, runs=(run,))
        assert await SessionRows(database).get("guid") == SESSION
        sums = HandSums.of((3, -1), opponent_defaults=2)
        counted = run.counted(CountedCommand(1, "action", 0, "NOT_FINISHED", hands=sums))
        acted = replace(SESSION.act({"action_type": "CHECK"}), commands=2, waiting=True)
        await store.take(acted, counted, recorded(2, 3), at=3.0)
        assert await store.newest_run("guid") == counted
        full = replace(acted.reset().reset(), commands=3)
        await store.take(full, counted.again(), recorded(3), at=4.0)
    async with opened(tmp_path) as database:
        store = CardStore(database)
        card = await store.get("card")
        assert card is not None
        assert (card.updated_at, card.runs) == (4.0, (counted, counted.again()))
        assert await store.newest_run("guid") == counted.again()
        assert await SessionRows(database).of_card("card") == [full]
        assert (await store.runs_of("card"), await store.has_game("card", "none")) == (2, False)
        part = await store.part("guid", 2, 100)
        assert [(each["number"], len(each["frames"])) for each in part.commands] == [(2, 3), (3, 1)]
        assert part.commands[0]["frames"][0] == DIGITS
        assert part.commands[1]["action_input"] == recorded(3).action_input
        await store.close("card", 5.0, (Run.begun(GAME, "unplayed"),))
        assert await store.open_cards() == []
        await store.forget("card")
        assert await store.get("card") is None
        assert await SessionRows(database).get("guid") is None
        assert (await store.part("guid", 1, 100)).commands == []
        assert await store.newest_run("unplayed") is None


async def test_a_command_is_stored_with_all_it_changes_or_not_at_all(tmp_path: Path) -> None:
    """A second command of the same number changes neither run nor session."""
    run = Run.begun(GAME, "guid")
    async with opened(tmp_path) as database:
        store = CardStore(database)
        await store.add(CARD)
        await store.take(SESSION, run, recorded(), at=2.0)
        with pytest.raises(StoreFailed):
            await store.take(SESSION.act({}), run.again(), recorded(), at=3.0)
        card = await store.get("card")
        assert card == replace(CARD, updated_at=2.0, runs=(run,))
        assert await SessionRows(database).get("guid") == SESSION


async def test_the_newest_commands_of_a_session_are_kept(tmp_path: Path) -> None:
    """So many, and so many bytes; and all sessions together have a bound."""
    run = Run.begun(GAME, "guid")

    async def numbers(limits: dict[str, int], guid: str) -> list[int]:
        store = CardStore(database, CommandRows(database, **limits))
        for number in range(1, 51):
            session = replace(SESSION, guid=guid, commands=number)
            await store.take(session, replace(run, guid=guid), recorded(number), at=2.0)
        part = await store.part(guid, 0, 1_000)
        shown = [command["number"] for command in part.commands]
        assert (shown[0], shown[-1]) == (part.oldest, part.newest)
        return shown

    async with opened(tmp_path) as database:
        await CardStore(database).add(CARD)
        assert await numbers({}, "a") == list(range(1, 51))
        assert await numbers({"kept": 20}, "b") == list(range(31, 51))
        few = await numbers({"bytes_kept": 10_000}, "c")
        assert few == list(range(few[0], 51))
        assert 2 <= len(few) < 50
        await numbers({"all_bytes_kept": 0, "all_trimmed_every": 10}, "d")
        assert (await CardStore(database).part("a", 1, 1_000)).commands == []


async def test_a_part_of_a_replay_is_bounded(tmp_path: Path) -> None:
    """By its frames; one command is there in any case."""
    async with opened(tmp_path) as database:
        store = CardStore(database)
        await store.add(CARD)
        for number in (1, 2, 3):
            session = replace(SESSION, commands=number)
            await store.take(session, Run.begun(GAME, "guid"), recorded(number, 250), at=2.0)
        for first in (1, 2):
            part = await store.part("guid", first, 100)
            assert [command["number"] for command in part.commands] == [first]
            assert part.newest == 3


async def test_the_identity_is_made_once(tmp_path: Path) -> None:
    """Seed and name of the evaluator; another file has others."""
    async with opened(tmp_path) as database:
        first = await kept_identity(database)
    async with opened(tmp_path) as database:
        assert await kept_identity(database) == first
    (tmp_path / "other").mkdir()
    async with opened(tmp_path / "other") as database:
        other = await kept_identity(database)
    assert other.seed != first.seed
    assert other.instance != first.instance
    assert first.seed not in repr(first)


async def test_anonymous_keys_last(tmp_path: Path) -> None:
    async with opened(tmp_path) as database:
        for name in ("b", "a", "c"):
            await KeyRows(database).add(name, 1.0)
        await KeyRows(database).forget("a")
    async with opened(tmp_path) as database:
        assert await KeyRows(database).all() == ["b", "c"]


async def test_what_was_answered_lasts_over_a_sigkill(tmp_path: Path) -> None:
    """A copy of the files is what a killed process leaves; session, run and replay agree."""
    (tmp_path / "running").mkdir()
    async with opened(tmp_path / "running") as database:
        store, run = CardStore(database), Run.begun(GAME, "guid")
        await store.add(CARD)
        for number in range(1, 6):
            run = run.counted(CountedCommand(1, "action", 0, "NOT_FINISHED"))
            session = replace(SESSION, commands=number, actions=({},) * number)
            await store.take(session, run, recorded(number), at=2.0)
            shutil.copytree(tmp_path / "running", tmp_path / f"killed {number}")
    for number in range(1, 6):
        async with opened(tmp_path / f"killed {number}") as database:
            kept = await SessionRows(database).get("guid")
            kept_run = await CardStore(database).newest_run("guid")
            part = await CardStore(database).part("guid", 0, 10_000)
        assert kept is not None
        assert kept_run is not None
        assert number == kept.commands == len(kept.actions) == kept_run.actions == part.newest
