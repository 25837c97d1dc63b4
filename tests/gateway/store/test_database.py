"""What a gateway stores lasts over its end, however it ends."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from casino_agentkit import Waits
from casino_contracts import Defaulted, WaitReason
from casino_gateway.domain.match import Match
from casino_gateway.domain.updates import SeatEnd
from casino_gateway.errors import StoreFailed
from casino_gateway.store.gateway_schema import gateway_database, seats
from casino_gateway.store.seat_rows import Answers, RoomRows, SeatRows, StoredRoom, StoredSeat
from casino_seats.turns import ANSWERS_KEPT, Answer
from casino_storage.sqlite_file import SqliteFile
from sqlalchemy import Connection, insert, text
from sqlalchemy.event import listens_for
from support.gateway.seat_side import acted, snapshot

AT = datetime(2026, 1, 2, 3, 4, 5)  # noqa: DTZ001  as SQLite keeps it


@asynccontextmanager
async def opened(path: Path) -> AsyncIterator[SqliteFile]:
    database = gateway_database(path / "gateway.db")
    await database.open()
    try:
        yield database
    finally:
        await database.close()


def seat(number: int = 1) -> StoredSeat:
    """Return a seat that the lobby does not know yet."""
    return StoredSeat(
        f"seat-{number}", "room", "Ada", "human", "ada", "192.0.2.1", bytes([number]) * 32, AT
    )


async def test_seats_last_from_before_they_are_registered(tmp_path: Path) -> None:
    """Each step is there after a restart; what is forgotten is gone with its answers."""
    async with opened(tmp_path) as database:
        await SeatRows(database).add(seat(1))
        await SeatRows(database).add(seat(2))
        await SeatRows(database).add(seat(3))
        with pytest.raises(StoreFailed):
            await SeatRows(database).add(seat(1))
        known = replace(
            seat(2),
            player_id="p",
            seat_number=4,
            game_type="kuhn_poker",
            display_name="Ada 2",
            table_id="t",
            table_token_digest=b"x" * 32,
        )
        await SeatRows(database).registered(known)
    async with opened(tmp_path) as database:
        rows = SeatRows(database)
        assert await rows.all() == [seat(1), known, seat(3)]
        assert known.identity.display_name == "Ada 2"
        with pytest.raises(StoreFailed, match="not registered"):
            _ = seat(1).identity
        await Answers(database).answered("seat-3", Answer("q", 1, {"action_type": "BET"}))
        await rows.forget("seat-3")
        assert await Answers(database).of("seat-3") == ({}, {})
        await rows.closed("seat-1", SeatEnd("left", AT.replace(tzinfo=UTC)))
        assert (await rows.all())[0] == replace(seat(1), closed_reason="left", closed_at=AT)


DEFAULT = Answer(
    "q1", 1, {"action_type": "FOLD"}, defaulted=Defaulted(reason="budget", detail="$5 are spent")
)


async def test_the_newest_answers_of_each_seat_are_kept(tmp_path: Path) -> None:
    async with opened(tmp_path) as database:
        answers = Answers(database)
        for turn in range(1, 101):
            await answers.opened("a", f"q{turn}", turn)
            await answers.opened("a", f"q{turn}", 1)
            await answers.answered("a", Answer(f"q{turn}", turn, {"amount": turn}, "hi"))
        await answers.answered("b", DEFAULT)
        await answers.opened("a", "open", 101)
    async with opened(tmp_path) as database:
        turns, stored = await Answers(database).of("a")
        assert turns == {**{f"q{turn}": turn for turn in range(85, 101)}, "open": 101}
        assert len(stored) == ANSWERS_KEPT
        assert stored["q90"] == Answer("q90", 90, {"amount": 90}, "hi")
        assert await Answers(database).of("b") == ({"q1": 1}, {"q1": DEFAULT})


async def test_a_match_is_stored_with_its_cursor(tmp_path: Path) -> None:
    """All of it; one that cannot be read is left out."""
    match = Match.of(snapshot(acted(1), acted(2), status="running"))
    async with opened(tmp_path) as database:
        RoomRows(database).save(match, 5)
        RoomRows(database).save(match, 7)
        await database.write(text("INSERT INTO rooms VALUES ('odd', 1, '{}')"), {})
        assert await RoomRows(database).all() == {"room": StoredRoom(match, 7)}
        RoomRows(database).forget_unused()
    async with opened(tmp_path) as database:
        assert await RoomRows(database).all() == {}
        await SeatRows(database).add(seat())
        RoomRows(database).save(match, 7)
        RoomRows(database).forget_unused()
    async with opened(tmp_path) as database:
        assert list(await RoomRows(database).all()) == ["room"]


async def test_one_gateway_holds_a_file_which_only_its_owner_reads(tmp_path: Path) -> None:
    """A second one would hold other answers to the same questions."""
    async with opened(tmp_path):
        with pytest.raises(StoreFailed, match="another process holds"):
            async with opened(tmp_path):
                pass
        assert (tmp_path / "gateway.db").stat().st_mode & 0o777 == 0o600
    with pytest.raises(StoreFailed, match="closed|not open"):
        await gateway_database(tmp_path / "gateway.db").write(insert(seats), {})
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "gateway.db").write_bytes(b"no database" * 1000)
    with pytest.raises(StoreFailed, match="not a database"):
        async with opened(tmp_path / "broken"):
            pass


async def test_many_writes_share_a_commit_and_a_failure_is_reported(tmp_path: Path) -> None:
    async with opened(tmp_path) as database:
        rows = SeatRows(database)
        await asyncio.gather(*(rows.add(seat(number)) for number in range(1, 201)))
        failed = await asyncio.gather(rows.add(seat(1)), return_exceptions=True)
        assert isinstance(failed[0], StoreFailed)
        await rows.add(seat(250))
        assert len(await rows.all()) == 201


async def test_a_database_that_cannot_be_written_is_waited_for(tmp_path: Path) -> None:
    """Until a write succeeds, be it one that looks whether it does; a wrong row is no reason."""
    waits, path = Waits(), tmp_path / "gateway.db"
    database = gateway_database(path, waits)
    await database.open()
    full = text("PRAGMA max_page_count = 1")  # the least that holds what is there

    @listens_for(database.engine.sync_engine, "begin")
    def grow_no_more(connection: Connection) -> None:
        connection.execute(full)

    try:
        await SeatRows(database).add(seat(1))
        with pytest.raises(StoreFailed):
            await SeatRows(database).add(seat(1))
        assert waits.of(str(path)) == []
        answer = Answer("q", 1, {"action_type": "BET"}, message="x" * 100_000)
        with pytest.raises(StoreFailed, match="full"):
            await Answers(database).answered("a", answer)
        (wait,) = waits.of(str(path))
        assert wait.reason is WaitReason.STORE_FAILED
        assert "full" in wait.detail
        await database.look()
        assert waits.of(str(path)) == []
    finally:
        await database.close()


async def test_what_was_committed_lasts_over_a_sigkill(tmp_path: Path) -> None:
    """A copy of the files is what a killed process leaves: each reported answer is there."""
    (tmp_path / "running").mkdir()
    async with opened(tmp_path / "running") as database:
        for turn in range(1, 6):
            await Answers(database).answered("a", Answer(f"q{turn}", turn, {}))
            shutil.copytree(tmp_path / "running", tmp_path / f"killed {turn}")
    for turn in range(1, 6):
        async with opened(tmp_path / f"killed {turn}") as database:
            _turns, answers = await Answers(database).of("a")
        assert f"q{turn}" in answers
