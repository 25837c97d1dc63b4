"""The database behind the store: its engine, what SQLite wants to be told, and the lobby's lock."""

import fcntl
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from casino_agentkit.process.private_directory import make_private
from sqlalchemy import event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from casino_lobby.store.base import StoreFailed

SQLITE, POSTGRESQL = "sqlite+aiosqlite", "postgresql+asyncpg"

_LOBBY_LOCK = 0x_A2A_CA51_4010_BB1
"""The advisory lock of a PostgreSQL database that a lobby has for itself."""

_LOCK_PATIENCE = "1s"
"""A killed lobby's last transaction may still be ending on the server."""

_TAKEN = "55P03"

_BUSY_MS = 5_000

_SESSION = {
    "application_name": "a2a-casino lobby",
    # A lobby whose machine is gone must not hold the lock for the two hours that TCP would give it.
    "tcp_keepalives_idle": "20",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "4",
}


def why(error: BaseException) -> str:
    """Return what went wrong in the database's own words, without statement and values."""
    cause = getattr(error, "orig", None) or error
    told = " ".join(str(cause).split())
    return f"the database failed: {told or type(cause).__name__}"


class Database:
    """An engine, and the promise that no other lobby writes.

    A second lobby would fold its own picture of the same rooms. SQLite: a lock on a file beside the
    database. PostgreSQL: an advisory lock of the writing connection itself, so that whoever lost
    the connection cannot write before it has the lock again.
    """

    def __init__(self, url: str, synchronous: str) -> None:
        self._given = url
        self._synchronous = synchronous
        self._lock: int | None = None
        self._engine: AsyncEngine | None = None
        self._is_sqlite = False

    @property
    def engine(self) -> AsyncEngine:
        """The engine of an open database."""
        if self._engine is None:
            raise StoreFailed("the store is not open")
        return self._engine

    def open(self) -> None:
        """Make the engine; a file is made and locked. Raises StoreFailed."""
        url = _checked(self._given)
        self._is_sqlite = url.drivername == SQLITE
        if self._is_sqlite:
            self._take_file(Path(url.database or ""))
        if not self._is_sqlite:
            self._engine = create_async_engine(
                url, pool_pre_ping=True, connect_args={"server_settings": _SESSION}
            )
        else:
            self._engine = create_async_engine(url)
            event.listen(self._engine.sync_engine, "connect", self._prepare)

    async def close(self) -> None:
        """Close every connection and let go of the file."""
        engine, self._engine = self._engine, None
        if engine is not None:
            await engine.dispose()
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)

    async def exclusive(self) -> AsyncConnection:
        """Return a connection that may write."""
        connection = await self.engine.connect()
        if self._is_sqlite:
            return connection
        try:
            async with connection.begin():
                await connection.execute(text(f"SET LOCAL lock_timeout = '{_LOCK_PATIENCE}'"))
                await connection.execute(
                    text("SELECT pg_advisory_lock(:key)"), {"key": _LOBBY_LOCK}
                )
        except BaseException as error:
            await connection.close()
            if isinstance(error, DBAPIError) and getattr(error.orig, "sqlstate", "") == _TAKEN:
                name = self.engine.url.database
                raise StoreFailed(f"another lobby holds the database {name}") from error
            raise
        return connection

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """Lend a connection to read with; raises StoreFailed."""
        try:
            async with self.engine.connect() as connection:
                yield connection
        except (SQLAlchemyError, OSError) as error:
            raise StoreFailed(why(error)) from error

    def _take_file(self, path: Path) -> None:
        try:
            make_private(path.parent)
            lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StoreFailed(f"{path} cannot be opened: {error}") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # SQLite would let others read it, the seeds included.
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        except BlockingIOError as error:
            os.close(lock)
            raise StoreFailed(f"another lobby holds {path}") from error
        except OSError as error:
            os.close(lock)
            raise StoreFailed(f"{path} cannot be opened: {error}") from error
        self._lock = lock

    def _prepare(self, connection: Any, _record: object) -> None:
        cursor = connection.cursor()
        for pragma in (
            f"busy_timeout={_BUSY_MS}",
            "journal_mode=WAL",
            f"synchronous={self._synchronous}",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()
        # Bytes that are no text spoil their own row, not every query that meets it.
        connection.driver_connection.text_factory = _lenient


def _lenient(text: bytes) -> str:
    return text.decode(errors="surrogateescape")


def _checked(url: str) -> URL:
    try:
        made = make_url(url)
    except ArgumentError as error:
        raise StoreFailed(
            "the store's URL cannot be read; write sqlite+aiosqlite:///file or"
            " postgresql+asyncpg://user@host/name"
        ) from error
    if made.drivername not in {SQLITE, POSTGRESQL}:
        raise StoreFailed(f"no store speaks {made.drivername}; use {SQLITE} or {POSTGRESQL}")
    if made.drivername == SQLITE and (
        made.database in {None, "", ":memory:"} or made.query or "file:" in str(made.database)
    ):
        raise StoreFailed(f"{SQLITE} needs the path of a file, such as {SQLITE}:///casino.db")
    return made
