"""Database engine, SQLite pragmas and the lock that allows one lobby per database."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from casino_agentkit.process.locked_file import lock_file
from sqlalchemy import event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from casino_lobby.errors import StoreFailed

SQLITE, POSTGRESQL = "sqlite+aiosqlite", "postgresql+asyncpg"

_LOBBY_LOCK = 0x_A2A_CA51_4010_BB1
"""Key of the PostgreSQL advisory lock that a lobby holds."""

_LOCK_TIMEOUT = "1s"
"""Covers the last transaction of a killed lobby, which may still be ending on the server."""

_LOCK_NOT_AVAILABLE = "55P03"

_BUSY_MS = 5_000

_SESSION = {
    "application_name": "a2a-casino lobby",
    # Otherwise a lobby whose machine is gone would hold the lock for two hours, TCP's default.
    "tcp_keepalives_idle": "20",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "4",
}


def why(error: BaseException) -> str:
    """Return the database's error message, without statement and values."""
    cause = getattr(error, "orig", None) or error
    message = " ".join(str(cause).split())
    return f"the database failed: {message or type(cause).__name__}"


class Database:
    """An engine whose database is locked for this lobby.

    A second lobby would hold its own state of the same rooms. SQLite: a lock on a file beside the
    database. PostgreSQL: an advisory lock of the writing connection itself, so that a lobby that
    lost the connection cannot write before it holds the lock again.
    """

    def __init__(self, url: str, synchronous: str) -> None:
        self._url = url
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
        """Create the engine; for SQLite also create and lock the file. Raises StoreFailed."""
        url = _checked(self._url)
        self._is_sqlite = url.drivername == SQLITE
        if self._is_sqlite:
            self._lock_file(Path(url.database or ""))
        if not self._is_sqlite:
            self._engine = create_async_engine(
                url, pool_pre_ping=True, connect_args={"server_settings": _SESSION}
            )
        else:
            self._engine = create_async_engine(url)
            event.listen(self._engine.sync_engine, "connect", self._prepare)

    async def close(self) -> None:
        """Close every connection and unlock the file."""
        engine, self._engine = self._engine, None
        if engine is not None:
            await engine.dispose()
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)

    async def exclusive(self) -> AsyncConnection:
        """Return a connection for writing that holds the lock; raises StoreFailed."""
        connection = await self.engine.connect()
        if self._is_sqlite:
            return connection
        try:
            async with connection.begin():
                await connection.execute(text(f"SET LOCAL lock_timeout = '{_LOCK_TIMEOUT}'"))
                await connection.execute(
                    text("SELECT pg_advisory_lock(:key)"), {"key": _LOBBY_LOCK}
                )
        except BaseException as error:
            await connection.close()
            if (
                isinstance(error, DBAPIError)
                and getattr(error.orig, "sqlstate", "") == _LOCK_NOT_AVAILABLE
            ):
                name = self.engine.url.database
                raise StoreFailed(f"another lobby holds the database {name}") from error
            raise
        return connection

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """Yield a connection for reading; raises StoreFailed."""
        try:
            async with self.engine.connect() as connection:
                yield connection
        except (SQLAlchemyError, OSError) as error:
            raise StoreFailed(why(error)) from error

    def _lock_file(self, path: Path) -> None:
        try:
            self._lock = lock_file(path)
        except BlockingIOError as error:
            raise StoreFailed(f"another lobby holds {path}") from error
        except OSError as error:
            raise StoreFailed(f"{path} cannot be opened: {error}") from error

    def _prepare(self, connection: Any, _record: object) -> None:
        cursor = connection.cursor()
        for pragma in (
            f"busy_timeout={_BUSY_MS}",
            "journal_mode=WAL",
            f"synchronous={self._synchronous}",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()
        # Invalid UTF-8 makes only its own row unreadable, not every query that returns it.
        connection.driver_connection.text_factory = _lenient


def _lenient(text: bytes) -> str:
    return text.decode(errors="surrogateescape")


def _checked(url: str) -> URL:
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise StoreFailed(
            "the store's URL cannot be read; write sqlite+aiosqlite:///file or"
            " postgresql+asyncpg://user@host/name"
        ) from error
    if parsed.drivername not in {SQLITE, POSTGRESQL}:
        raise StoreFailed(f"no store speaks {parsed.drivername}; use {SQLITE} or {POSTGRESQL}")
    if parsed.drivername == SQLITE and (
        parsed.database in {None, "", ":memory:"} or parsed.query or "file:" in str(parsed.database)
    ):
        raise StoreFailed(f"{SQLITE} needs the path of a file, such as {SQLITE}:///casino.db")
    return parsed
