"""Migrations keep what is stored, on both databases."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from casino_lobby.store import SqlStore, StoreFailed, migrations
from casino_lobby.store.migrations import NEWEST, upgrade
from casino_lobby.store.schema import metadata
from sqlalchemy import Connection, inspect, text
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from support.casino.postgres import Postgres
from support.casino.store_side import on_both_databases


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


@on_both_databases
async def test_a_database_of_the_first_release_gets_the_later_tables(
    engine: AsyncEngine, url: str
) -> None:
    async with engine.connect() as connection:
        await upgrade(connection)
    async with engine.begin() as connection:  # as 0.1.0 left it
        await connection.execute(text("DROP TABLE deal"))
        await connection.execute(text("UPDATE alembic_version SET version_num = '0001'"))
        await connection.execute(text("UPDATE lobby_order SET newest = 7"))
    store = SqlStore(url)
    await store.open()
    await store.close()
    assert await tables(engine) == {*metadata.tables, "alembic_version"}
    async with engine.connect() as connection:
        assert await connection.scalar(text("SELECT newest FROM lobby_order")) == 7


def test_the_newest_revision_is_the_only_head() -> None:
    script = ScriptDirectory(str(Path(migrations.__file__).parent))
    assert script.get_heads() == [NEWEST]


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
    async with engine.begin() as connection:
        await connection.execute(text("CREATE TABLE hand (in_the_way INTEGER)"))
    with pytest.raises(StoreFailed):
        await SqlStore(url).open()
    assert await tables(engine) == {"hand"}
    async with engine.begin() as connection:
        await connection.execute(text("DROP TABLE hand"))
    store = SqlStore(url)
    await store.open()
    await store.close()
