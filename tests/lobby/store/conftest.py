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
    return await open_store()


@pytest.fixture(params=["memory", "sqlite"])
def any_url(request: pytest.FixtureRequest) -> str | None:
    """Return the URL of a new database, None for memory."""
    return None if request.param == "memory" else _new_url(request.param, request)


@pytest.fixture(params=["memory", "sqlite", POSTGRESQL])
def every_url(request: pytest.FixtureRequest) -> str | None:
    return None if request.param == "memory" else _new_url(request.param, request)


@pytest.fixture
async def any_store(any_url: str | None) -> AsyncIterator[Store]:
    async with _opened(any_url) as store:
        yield store


@pytest.fixture
async def every_store(every_url: str | None) -> AsyncIterator[Store]:
    """Open a store, also on PostgreSQL: for queries that databases may understand otherwise."""
    async with _opened(every_url) as store:
        yield store


@asynccontextmanager
async def _opened(url: str | None) -> AsyncIterator[Store]:
    store: Store = SqlStore(url) if url else MemoryStore(1_000)
    await store.open()
    yield store
    await store.close()
