"""Fixtures of the backup's tests: data directories of lobbies, and a PostgreSQL server."""

from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from casino_lobby.store import SqlStore
from support.casino.postgres import NoPostgres, Postgres, postgres
from support.casino.store_side import played
from support.console_side import Ended, casino
from support.requirements import unavailable
from support.table.disk_log import disk_log

Command = Callable[..., Awaitable[Ended]]
FILES = ["card-key.pem", "casino.db", "tables/_0123/tables-1-of-1.journal"]


def files_of(directory: Path) -> list[str]:
    found = (path for path in directory.rglob("*") if path.is_file() and path.suffix != ".lock")
    return sorted(str(path.relative_to(directory)) for path in found)


def names_in(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


async def hands_in(database: Path | str) -> int:
    """Return how many hands a lobby would find in a file of SQLite, or at a URL."""
    url = f"sqlite+aiosqlite:///{database}" if isinstance(database, Path) else database
    store = SqlStore(url)
    await store.open()
    try:
        room = store.room("r1")
        assert room is not None
        assert sum(room.ledger.balances.values()) == 0
        return room.hand_count
    finally:
        await store.close()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Postgres]:
    """Run a PostgreSQL server; without its program tests are skipped, in CI they fail."""
    try:
        with postgres() as server:
            yield server
    except NoPostgres as missing:
        unavailable(str(missing))


@pytest.fixture
async def data(tmp_path: Path) -> Path:
    """Return the data directory of a stopped lobby with a room, a journal and a card key."""
    directory = tmp_path / "casino-data"
    directory.mkdir(mode=0o700, exist_ok=True)
    store = SqlStore(f"sqlite+aiosqlite:///{directory / 'casino.db'}")
    await store.open()
    await played(store, hands=3)
    await store.close()
    disk_log(directory / "tables" / "_0123" / "tables-1-of-1.journal").close()
    (directory / "card-key.pem").write_text("the key\n")
    return directory


@pytest.fixture
def run() -> Command:
    """Return a function that runs a command with only the environment that is passed."""

    async def run_command(*arguments: object, **environment: str) -> Ended:
        return await casino(*map(str, arguments), environment=environment)

    return run_command
