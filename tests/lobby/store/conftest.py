"""Fixtures of the store's tests, which run on SQLite and, where SQL matters, on a PostgreSQL."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from casino_lobby.store import MemoryStore, SqlStore, Store
from support.casino.postgres import NoPostgres, Postgres, postgres
from support.casino.store_side import POSTGRESQL, OpenStore, create_tables
from support.requirements import unavailable


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Postgres]:
    """Run a PostgreSQL server; without its program tests are skipped, in CI they fail."""
    try:
        with postgres() as server:
            server.migrate()
            yield server
    except NoPostgres as missing:
        unavailable(str(missing))


@pytest.fixture(scope="session")
def new_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file of SQLite with the tables of this release, to be copied."""
    path = tmp_path_factory.mktemp("new") / "casino.db"
    asyncio.run(create_tables(f"sqlite+aiosqlite:///{path}"))
    return path


def _new_url(kind: str, request: pytest.FixtureRequest) -> str:
    if kind == "postgresql":
        server: Postgres = request.getfixturevalue("postgres_server")
        return server.new_url()
    home: Path = request.getfixturevalue("tmp_path")
    shutil.copy(request.getfixturevalue("new_file"), home / "casino.db")
    return f"sqlite+aiosqlite:///{home}/casino.db"


@pytest.fixture
def kind() -> str:
    """Return the kind of database; `on_both_databases` gives a test both."""
    return "sqlite"


@pytest.fixture
def url(kind: str, request: pytest.FixtureRequest) -> str:
    """Return the URL of a new database with the tables of this release."""
    return _new_url(kind, request)


@pytest.fixture
async def open_store(url: str) -> AsyncIterator[OpenStore]:
    """Open the database as a starting lobby does; all stores are closed at the end."""
    opened: list[SqlStore] = []

    async def open_one() -> SqlStore:
        store = SqlStore(url)
        opened.append(store)
        await store.open()
        return store

    yield open_one
    for store in opened:
        await store.close()


@pytest.fixture
async def store(open_store: OpenStore) -> SqlStore:
    """Open a store on a new database."""
    return await open_store()


@asynccontextmanager
async def _opened(kind: str, request: pytest.FixtureRequest) -> AsyncIterator[Store]:
    store: Store = MemoryStore(1_000) if kind == "memory" else SqlStore(_new_url(kind, request))
    await store.open()
    yield store
    await store.close()


@pytest.fixture(params=["memory", "sqlite"])
async def any_store(request: pytest.FixtureRequest) -> AsyncIterator[Store]:
    async with _opened(request.param, request) as store:
        yield store


@pytest.fixture(params=["memory", "sqlite", POSTGRESQL])
async def every_store(request: pytest.FixtureRequest) -> AsyncIterator[Store]:
    """Open a store, also on PostgreSQL: for queries that databases may understand otherwise."""
    async with _opened(request.param, request) as store:
        yield store
