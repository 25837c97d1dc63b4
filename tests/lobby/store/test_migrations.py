"""Migrations keep what is stored, on both databases."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from casino_lobby.domain.room import Room
from casino_lobby.store import SqlStore, StoreFailed, migrations
from casino_lobby.store.migrations import NEWEST, upgrade
from casino_lobby.store.schema import metadata
from casino_lobby.store.serialization import written
from sqlalchemy import Connection, inspect, text
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from support.casino.postgres import Postgres
from support.casino.store_side import EventFactory, new_room, on_both_databases, rows

BOOKS = {
    "player": "SELECT * FROM player ORDER BY room_id, player_id",
    "session": "SELECT * FROM session ORDER BY room_id, number",
    "hand": "SELECT * FROM hand ORDER BY room_id, epoch, hand_number",
    "ledger": "SELECT * FROM ledger ORDER BY room_id, epoch, sequence, account",
}


@pytest.fixture
def url(kind: str, request: pytest.FixtureRequest) -> str:
    """Return the URL of an empty database."""
    if kind == "postgresql":
        server: Postgres = request.getfixturevalue("postgres_server")
        return server.empty_url()
    home: Path = request.getfixturevalue("tmp_path")
    return f"sqlite+aiosqlite:///{home}/casino.db"


@pytest.fixture
async def engine(url: str) -> AsyncIterator[AsyncEngine]:
    """Connect to the database without a store."""
    made = create_async_engine(url)
    yield made
    await made.dispose()


async def tables(engine: AsyncEngine) -> set[str]:
    """Return the tables and columns of the database."""
    async with engine.connect() as connection:
        return set(await connection.run_sync(lambda sync: inspect(sync).get_table_names()))


@on_both_databases
async def test_migrations_lead_to_the_schema(engine: AsyncEngine) -> None:
    """They create exactly the tables of `schema.metadata`."""
    async with engine.connect() as connection:
        await upgrade(connection)

    async with engine.connect() as connection:
        await upgrade(connection)  # nothing is to be done

    def differences(connection: Connection) -> list[Any]:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        return list(compare_metadata(context, metadata))

    async with engine.connect() as connection:
        assert await connection.run_sync(differences) == []
    assert await tables(engine) == {*metadata.tables, "alembic_version"}


def test_the_newest_revision_is_the_only_head() -> None:
    """The files are named by their revisions."""
    script = ScriptDirectory(str(Path(migrations.__file__).parent))
    assert script.get_heads() == [NEWEST]


@on_both_databases
async def test_a_migration_books_the_stored_events(
    engine: AsyncEngine, url: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A database of the previous schema gets the books that it would have kept."""
    async with engine.connect() as connection:
        await upgrade(connection, "0001")
    assert "ledger" not in await tables(engine)
    reference = SqlStore(f"sqlite+aiosqlite:///{tmp_path_factory.mktemp('reference')}/casino.db")
    await reference.open()
    for room_id in ("r2", "r1"):
        room = new_room(room_id, smallBlind=0.25)
        await reference.add(room)
        await play(reference, room)
    async with engine.begin() as connection:
        for room in reference.rooms():
            await connection.execute(
                text("INSERT INTO room (room_id, table_id, content) VALUES (:room, :at, :content)"),
                {"room": room.room_id, "at": room.table_id, "content": json.dumps(room.to_json())},
            )
            await connection.execute(
                text(
                    "INSERT INTO event (room_id, epoch, sequence, event_type, content)"
                    " VALUES (:room, :epoch, :sequence, :type, :content)"
                ),
                [
                    {
                        "room": room.room_id,
                        "epoch": epoch,
                        "sequence": event.sequence,
                        "type": event.event_type,
                        "content": written(event).decode(),
                    }
                    for epoch in (1, 2)
                    for event in await reference.events(room, 0, 10_000, epoch)
                ],
            )
    store = SqlStore(url)
    await store.open()
    assert store.rooms() == reference.rooms()
    for query in BOOKS.values():
        assert await rows(store, query) == await rows(reference, query)
    assert len(await rows(store, BOOKS["hand"])) == 2 * 450
    assert (await store.balances("r1"))["player:p0"] == 20_000
    await store.close()
    await reference.close()


async def play(store: SqlStore, room: Room) -> None:
    """Record more than one migration step, and a takeover."""
    factory = EventFactory(room)
    seats = [factory.registered("p0"), factory.registered("p1"), factory.registered("p0", 100)]
    batch = [*seats, factory.status("started")]
    for number in range(1, 401):
        batch += factory.hand(number, {"p0": 200 + number % 7, "p1": 50.25})
    await store.record(room, [*batch, *factory.hand(400, {"p0": 3})])  # the last one repeated
    factory.takes_over()
    await store.save(room)
    batch = []
    for number in range(401, 451):
        batch += factory.hand(number, {"p0": 200, "p1": 100})
    batch.append(factory.status("finished"))
    await store.record(room, [*batch, factory.status("left", playerId="p1", stack=100)])


async def test_a_database_of_a_newer_release_is_refused(engine: AsyncEngine, url: str) -> None:
    """The message says why; nothing is changed."""
    async with engine.connect() as connection:
        await upgrade(connection)
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreFailed, match="another release"):
        await SqlStore(url).open()
    async with engine.begin() as connection:
        assert await connection.scalar(text("SELECT version_num FROM alembic_version")) == "9999"


async def test_an_upgrade_that_fails_changes_nothing(engine: AsyncEngine, url: str) -> None:
    """The next attempt begins at the same revision."""
    async with engine.connect() as connection:
        await upgrade(connection, "0001")
    there = {"room", "event", "command", "alembic_version", "hand"}
    async with engine.begin() as connection:
        await connection.execute(text("CREATE TABLE hand (in_the_way INTEGER)"))
    with pytest.raises(StoreFailed):
        await SqlStore(url).open()
    assert await tables(engine) == there
    async with engine.begin() as connection:
        await connection.execute(text("DROP TABLE hand"))
    store = SqlStore(url)
    await store.open()
    await store.close()


async def test_a_migration_dates_finished_commands(
    engine: AsyncEngine,
) -> None:
    """Pending commands get no date."""
    async with engine.connect() as connection:
        await upgrade(connection, "0003")
    add = "INSERT INTO command (position, key, name, digest, given, notes, answer) VALUES "
    async with engine.begin() as connection:
        await connection.execute(text(add + "(1, 'done', 'n', 'd', '{}', '{}', '{}')"))
        await connection.execute(text(add + "(2, 'open', 'n', 'd', '{}', '{}', NULL)"))
    async with engine.connect() as connection:
        await upgrade(connection)
    async with engine.connect() as connection:
        found = await connection.execute(
            text("SELECT finished_at IS NOT NULL FROM command ORDER BY position")
        )
        assert [bool(one) for (one,) in found] == [True, False]


async def test_the_first_lobby_of_an_older_database_begins_the_first_term(
    engine: AsyncEngine, url: str
) -> None:
    """Every later one begins the next; the rooms stay."""
    async with engine.connect() as connection:
        await upgrade(connection, "0005")
    room = new_room()
    values = {"room": room.room_id, "at": room.table_id, "content": json.dumps(room.to_json())}
    async with engine.begin() as connection:
        insert = "INSERT INTO room (room_id, table_id, content) VALUES (:room, :at, :content)"
        await connection.execute(text(insert), values)
    for term in (1, 2):
        store = SqlStore(url)
        await store.open()
        assert store.rooms() == [room]
        assert await rows(store, "SELECT max(number) FROM lobby_term") == [(term,)]
        await store.close()


@on_both_databases
@pytest.mark.parametrize("is_empty", [True, False])
async def test_a_migration_keeps_events_that_are_stored_as_text(
    engine: AsyncEngine, url: str, *, is_empty: bool
) -> None:
    """They are read as before, new ones follow, and no cursor is assigned again."""
    async with engine.connect() as connection:
        await upgrade(connection, "0010")
    room = new_room()
    factory = EventFactory(room)
    events = [factory.registered("p0"), factory.registered("p1"), *factory.some(2_500)]
    contents = [written(event).decode() for event in events]
    contents[3] = "{"
    async with engine.begin() as connection:
        insert = "INSERT INTO room (room_id, table_id, content) VALUES (:room, :at, :content)"
        values = {"room": room.room_id, "at": room.table_id, "content": json.dumps(room.to_json())}
        await connection.execute(text(insert), values)
        await connection.execute(
            text(
                "INSERT INTO event (room_id, epoch, sequence, event_type, content)"
                " VALUES ('r1', 1, :sequence, 'table_status', :content)"
            ),
            [{"sequence": at, "content": content} for at, content in enumerate(contents, 1)],
        )
        await connection.execute(
            text("DELETE FROM event" + ("" if is_empty else " WHERE cursor > 2000"))
        )
    store = SqlStore(url)
    await store.open()
    (found,) = store.rooms()
    if not is_empty:
        assert found.last_sequence == 2_000
        assert await store.events(found, 0, 9) == [*events[:3], *events[4:10]]
        assert store.unreadable.counts() == {"event": 1}
    factory.sequence = found.last_sequence
    new = factory.some(2)
    await store.record(found, new)
    assert await store.events(found, factory.sequence - 2, 9) == new
    assert [one.cursor for one in await store.committed(2_000, 9)] == [2_503, 2_504]
    await store.close()
    if engine.dialect.name == "sqlite":
        assert await _size(engine, "text") == 0
    again = SqlStore(url)
    await again.open()
    assert again.rooms() == [found]
    await again.close()


async def _size(engine: AsyncEngine, kind: str) -> int:
    async with engine.connect() as connection:
        query = text(f"SELECT count(*) FROM event WHERE typeof(content) = '{kind}'")
        return int(await connection.scalar(query) or 0)
