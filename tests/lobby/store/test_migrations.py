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
from casino_lobby.store import Command, SqlStore, StoreFailed, migrations
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
    async with engine.connect() as connection:
        return set(await connection.run_sync(lambda sync: inspect(sync).get_table_names()))


@on_both_databases
async def test_migrations_lead_to_the_schema(engine: AsyncEngine) -> None:
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
    script = ScriptDirectory(str(Path(migrations.__file__).parent))
    assert script.get_heads() == [NEWEST]


COMMANDS = (
    Command("done", "createRoom", "d", "{}", {}, "{}"),
    Command("open", "createRoom", "d", "{}", {}, None),
)


@on_both_databases
async def test_a_database_of_the_oldest_schema_has_everything_in_the_newest(
    engine: AsyncEngine, url: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The books that it would have kept, its events, its commands, and no cursor again."""
    reference = SqlStore(f"sqlite+aiosqlite:///{tmp_path_factory.mktemp('reference')}/casino.db")
    await reference.open()
    for room_id in ("r2", "r1"):
        room = new_room(room_id, smallBlind=0.25)
        await reference.add(room)
        await play(reference, room)
    async with engine.connect() as connection:
        await upgrade(connection, "0001")
    await write_oldest(engine, reference)
    store = SqlStore(url)
    await store.open()
    assert store.rooms() == reference.rooms()
    for query in BOOKS.values():
        assert await rows(store, query) == await rows(reference, query)
    assert len(await rows(store, BOOKS["hand"])) == 2 * 300
    assert await store.pending() == [COMMANDS[1]]
    assert await store.intend(COMMANDS[0]) == COMMANDS[0]
    room, before = store.rooms()[0], store.last_cursor
    factory = EventFactory(room)
    factory.sequence = room.last_sequence
    await store.record(room, factory.some(2))
    assert [one.cursor for one in await store.committed(before, 9)] == [before + 1, before + 2]
    await store.close()
    again = SqlStore(url)
    await again.open()
    assert again.rooms()[0] == room
    await again.close()
    await reference.close()


async def write_oldest(engine: AsyncEngine, reference: SqlStore) -> None:
    """Write rooms, events and commands as the oldest schema has them."""
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
        await connection.execute(
            text(
                "INSERT INTO command (position, key, name, digest, given, notes, answer)"
                " VALUES (:position, :key, :name, :digest, :input, '{}', :answer)"
            ),
            [{**vars(one), "position": at} for at, one in enumerate(COMMANDS, 1)],
        )


async def play(store: SqlStore, room: Room) -> None:
    """Record more than one migration step, and a takeover."""
    factory = EventFactory(room)
    seats = [factory.registered("p0"), factory.registered("p1"), factory.registered("p0", 100)]
    batch = [*seats, factory.status("started")]
    for number in range(1, 291):
        batch += factory.hand(number, {"p0": 200 + number % 7, "p1": 50.25})
    await store.record(room, [*batch, *factory.hand(290, {"p0": 3})])  # the last one repeated
    factory.takes_over()
    await store.save(room)
    batch = []
    for number in range(291, 301):
        batch += factory.hand(number, {"p0": 200, "p1": 100})
    batch.append(factory.status("finished"))
    await store.record(room, [*batch, factory.status("left", playerId="p1", stack=100)])


async def test_a_database_of_a_newer_release_is_refused(engine: AsyncEngine, url: str) -> None:
    async with engine.connect() as connection:
        await upgrade(connection)
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreFailed, match="another release"):
        await SqlStore(url).open()
    async with engine.begin() as connection:
        assert await connection.scalar(text("SELECT version_num FROM alembic_version")) == "9999"


async def test_an_upgrade_that_fails_changes_nothing(engine: AsyncEngine, url: str) -> None:
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
