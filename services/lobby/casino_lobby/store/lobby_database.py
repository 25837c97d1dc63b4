"""The database: its engine, SQLite's pragmas, its lock, and the thread that commits rows."""

import asyncio
import os
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final, NamedTuple

from casino_agentkit.process.private_file import lock_file
from sqlalchemy import event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from casino_lobby.errors import StoreFailed
from casino_lobby.store.lock import CONNECTING_S, SESSION, LobbyLock

_NAME: Final = "store rows"

RowWork = Callable[[sqlite3.Connection], None]


class _RowJob(NamedTuple):
    work: RowWork | None
    """None for the last one."""
    done: "asyncio.Future[None]"


class RowThread:
    """Executes transactions in the order in which they are submitted.

    `connection` may be used by any thread, and begins no transaction by itself.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._jobs: SimpleQueue[_RowJob] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=_NAME, daemon=True)
        self._thread.start()

    async def transact(self, work: RowWork) -> None:
        """May raise sqlite3.Error, after which nothing was changed."""
        done = asyncio.get_running_loop().create_future()
        self._jobs.put(_RowJob(work, done))
        await done

    async def close(self) -> None:
        """End the thread after what was submitted, and close the connection."""
        ended = asyncio.get_running_loop().create_future()
        self._jobs.put(_RowJob(None, ended))
        await ended
        self._thread.join()

    def _run(self) -> None:
        is_open = True
        while is_open:
            work, done = self._jobs.get()
            if work is None:
                is_open, error = False, None
                self._connection.close()
            else:
                error = self._failure_of(work)
            with suppress(RuntimeError):  # the loop was closed: nobody waits any more
                done.get_loop().call_soon_threadsafe(_finish, done, error)

    def _failure_of(self, work: RowWork) -> Exception | None:
        connection = self._connection
        try:
            connection.execute("BEGIN IMMEDIATE")
            work(connection)
            connection.execute("COMMIT")
        except Exception as error:  # noqa: BLE001 - it is raised in the caller
            if connection.in_transaction:
                with suppress(sqlite3.Error):  # it was rolled back
                    connection.execute("ROLLBACK")
            return error
        return None


def _finish(done: "asyncio.Future[None]", error: Exception | None) -> None:
    if done.cancelled():
        return
    if error is None:
        done.set_result(None)
    else:
        done.set_exception(error)


SQLITE, POSTGRESQL = "sqlite+aiosqlite", "postgresql+asyncpg"

_CLAIM_PAUSE_S, _CLAIM_TRIES = 0.25, 5
"""Cover the last transaction of a killed lobby, which may still be ending on the server."""

_BUSY_MS = 5_000


def why(error: BaseException) -> str:
    """Return the database's error message, without statement and values."""
    cause = getattr(error, "orig", None) or error
    message = " ".join(str(cause).split())
    return f"the database failed: {message or type(cause).__name__}"


class Database:
    """An engine whose database is locked for this lobby.

    A second lobby would hold its own state of the same rooms. SQLite: a lock on a file beside the
    database, for as long as the process has it open. PostgreSQL: the lock of the writing connection
    itself (`lock.py`), so that a lobby that lost the connection cannot write before it holds
    the lock again.
    """

    def __init__(
        self, url: str, synchronous: str, lock_of: Callable[[URL], LobbyLock] = LobbyLock
    ) -> None:
        self._url = url
        self._lock_of = lock_of
        self._synchronous = synchronous
        self._file_lock: int | None = None
        self._lobby_lock: LobbyLock | None = None
        self._engine: AsyncEngine | None = None

    @property
    def engine(self) -> AsyncEngine:
        if self._engine is None:
            raise StoreFailed("the store is not open")
        return self._engine

    @property
    def can_lose_lock(self) -> bool:
        """Whether the lock ends with a connection, not with the process."""
        return self._lobby_lock is not None

    def open(self) -> None:
        """Create the engine; for SQLite also create and lock the file. Raises StoreFailed."""
        if self._engine is not None:
            return
        url = _checked(self._url)
        if url.drivername == SQLITE:
            if self._lock_of is not LobbyLock:
                raise StoreFailed("several active lobbies need PostgreSQL, this is SQLite")
            self._lock_file(Path(url.database or ""))
            self._engine = create_async_engine(url)
            event.listen(self._engine.sync_engine, "connect", self._prepare)
        else:
            self._lobby_lock = self._lock_of(url)
            self._engine = create_async_engine(
                url,
                pool_pre_ping=True,
                connect_args={"timeout": CONNECTING_S, "server_settings": SESSION},
            )

    async def close(self) -> None:
        engine, self._engine = self._engine, None
        if engine is not None:
            await engine.dispose()
        lobby_lock, self._lobby_lock = self._lobby_lock, None
        if lobby_lock is not None:
            await lobby_lock.close()
        file_lock, self._file_lock = self._file_lock, None
        if file_lock is not None:
            os.close(file_lock)

    async def claim(self) -> AsyncConnection | None:
        """Return a connection that holds the lock; None if another has it. Raises StoreFailed."""
        try:
            if self._lobby_lock is None:
                return await self.engine.connect()
            return await self._lobby_lock.acquire()
        except Exception as error:
            raise StoreFailed(why(error)) from error

    async def exclusive(self) -> AsyncConnection:
        """Return a connection for writing that holds the lock; raises StoreFailed."""
        for _ in range(_CLAIM_TRIES):
            connection = await self.claim()
            if connection is not None:
                return connection
            await asyncio.sleep(_CLAIM_PAUSE_S)
        raise StoreFailed(f"another lobby holds the database {self.engine.url.database}")

    def row_thread(self) -> RowThread | None:
        """None where the connection for writing commits rows. Raises StoreFailed."""
        if self.can_lose_lock:
            return None
        try:
            connection = sqlite3.connect(
                self.engine.url.database or "", isolation_level=None, check_same_thread=False
            )
            for pragma in self._pragmas():
                connection.execute(pragma)
        except sqlite3.Error as error:
            raise StoreFailed(why(error)) from error
        return RowThread(connection)

    @asynccontextmanager
    async def reading(self, *, one_state: bool = False) -> AsyncIterator[AsyncConnection]:
        """Read, with `one_state` (PostgreSQL only) the same in all queries; raises StoreFailed."""
        try:
            async with self.engine.connect() as connection:
                if one_state:
                    await connection.execution_options(isolation_level="REPEATABLE READ")
                yield connection
        except (SQLAlchemyError, OSError) as error:
            raise StoreFailed(why(error)) from error

    def _lock_file(self, path: Path) -> None:
        try:
            self._file_lock = lock_file(path)
        except BlockingIOError as error:
            raise StoreFailed(f"another lobby holds {path}") from error
        except OSError as error:
            raise StoreFailed(f"{path} cannot be opened: {error}") from error

    def _pragmas(self) -> tuple[str, ...]:
        return (
            f"PRAGMA busy_timeout={_BUSY_MS}",
            "PRAGMA journal_mode=WAL",
            f"PRAGMA synchronous={self._synchronous}",
        )

    def _prepare(self, connection: Any, _record: object) -> None:
        cursor = connection.cursor()
        for pragma in self._pragmas():
            cursor.execute(pragma)
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
