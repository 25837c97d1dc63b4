"""Fixtures of the store's tests, which run on SQLite and on a real PostgreSQL."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from casino_lobby.store import MemoryStore, SqlStore, Store
from support.casino.postgres import NoPostgres, Postgres, postgres
from support.requirements import unavailable


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Postgres]:
    """Run a PostgreSQL server; without its program tests are skipped, in CI they fail."""
    try:
        with postgres() as server:
            yield server
    except NoPostgres as missing:
        unavailable(str(missing))


def _new_url(kind: str, request: pytest.FixtureRequest) -> str:
    if kind == "sqlite":
        home: Path = request.getfixturevalue("tmp_path")
        return f"sqlite+aiosqlite:///{home}/casino.db"
    server: Postgres = request.getfixturevalue("postgres_server")
    return server.empty_url()


POSTGRESQL = pytest.param("postgresql", marks=pytest.mark.full)


@pytest.fixture(params=["sqlite", POSTGRESQL])
def url(request: pytest.FixtureRequest) -> str:
    """Return the URL of a new database."""
    return _new_url(request.param, request)


OpenStore = Callable[[], Awaitable[SqlStore]]


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


@pytest.fixture(params=["memory", "sqlite", POSTGRESQL])
async def any_store(request: pytest.FixtureRequest) -> AsyncIterator[Store]:
    """Return a store of each kind."""
    made: Store = (
        MemoryStore(1_000)
        if request.param == "memory"
        else SqlStore(_new_url(request.param, request))
    )
    await made.open()
    yield made
    await made.close()
