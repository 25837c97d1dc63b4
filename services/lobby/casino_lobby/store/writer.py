"""The one writer: whatever waits is committed together.

While a transaction is on its way to the disk, the next batches gather; so the number of commits
follows what the disk can do, not the number of tables. And since nobody else writes, the writer
knows each event's cursor, its place in the order of commits, without asking the database.
"""

import asyncio
import sqlite3
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.store import cursors
from casino_lobby.store.base import Committed, StoreFailed
from casino_lobby.store.database import Database, why
from casino_lobby.store.rows import Rows
from casino_lobby.store.statements import Statements
from casino_lobby.store.unreadable import UnreadableRows

Change = Callable[[AsyncConnection], Awaitable[object]]
"""Something done within the transaction."""

_TOGETHER = 256


class _Job(NamedTuple):
    work: Rows | Change
    then: Callable[[], None]
    done: "asyncio.Future[None]"

    def fail(self, error: Exception) -> None:
        if not self.done.cancelled():
            self.done.set_exception(error)

    def finish(self) -> None:
        try:
            self.then()
        except Exception as error:  # noqa: BLE001 - it is told to whom it concerns
            self.fail(error)
        else:
            if not self.done.cancelled():
                self.done.set_result(None)


def _nothing() -> None:
    pass


def _ignore(_found: Sequence[Committed]) -> None:
    pass


class Writer:
    """Commits rows and changes, in the order in which they were given, and gives the cursors.

    `found` is told what was committed unnoticed, when a connection was lost during a commit, before
    anything else is committed.
    """

    def __init__(
        self,
        database: Database,
        found: Callable[[Sequence[Committed]], None] = _ignore,
        unreadable: UnreadableRows | None = None,
    ) -> None:
        self._database = database
        self._found = found
        self._unreadable = unreadable or UnreadableRows()
        self._cursor = 0
        self._statements: Statements | None = None
        self._connection: AsyncConnection | None = None
        self._waiting: deque[_Job] = deque()
        self._news = asyncio.Event()
        self._is_closing = False
        self._running: asyncio.Task[None] | None = None

    async def open(self) -> AsyncConnection:
        """Take the lobby's lock, and return the connection for a first change."""
        self._statements = Statements.of(self._database.engine.dialect)
        self._connection = await self._database.exclusive()
        return self._connection

    async def begin(self) -> int:
        """Begin to write; returns the newest cursor, of which the schema must know by now."""
        if self._connection is None:
            raise StoreFailed("the store is not open")
        async with self._connection.begin():
            self._cursor = await cursors.newest(self._connection)
        self._running = asyncio.create_task(self._run(), name="store writer")
        return self._cursor

    async def close(self) -> None:
        """Write what waits, and let go."""
        self._is_closing = True
        self._news.set()
        if self._running is not None:
            await self._running
        if self._connection is not None:
            await self._connection.close()

    async def write(self, work: Rows | Change, then: Callable[[], None] = _nothing) -> None:
        """Commit, call `then` at once when it is committed, and return; raises StoreFailed.

        `then` is called even when the caller was cancelled meanwhile: what is committed has
        happened.
        """
        if self._is_closing:
            raise StoreFailed("the store is closed")
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Job(work, then, done))
        self._news.set()
        await done

    async def _run(self) -> None:
        while self._waiting or not self._is_closing:
            self._news.clear()
            if not self._waiting:
                await self._news.wait()
            # Whoever gave up before it was begun wants it no more.
            together = min(_TOGETHER, len(self._waiting))
            jobs = [self._waiting.popleft() for _ in range(together)]
            await self._commit([job for job in jobs if not job.done.cancelled()])

    async def _commit(self, jobs: Sequence[_Job]) -> None:
        """Commit together; if that fails for one's sake, one by one."""
        try:
            await self._transaction([job.work for job in jobs])
        except StoreFailed as failed:
            if len(jobs) > 1 and self._connection is not None:
                for job in jobs:
                    await self._commit([job])
            else:
                for job in jobs:
                    job.fail(failed)
        else:
            for job in jobs:
                job.finish()

    async def _transaction(self, works: Sequence[Rows | Change]) -> None:
        if not works:
            return
        try:
            if self._connection is None:
                self._connection = await self._reconnected()
            cursor = self._numbered(works)
            async with self._connection.begin():
                await self._write(self._connection, works)
            self._cursor = cursor
        except Exception as error:
            await self._lose(error)
            if isinstance(error, StoreFailed):
                raise
            raise StoreFailed(why(error)) from error

    def _numbered(self, works: Sequence[Rows | Change]) -> int:
        """Give every event its cursor; returns the newest, which counts once it is committed."""
        cursor = self._cursor
        for work in works:
            if isinstance(work, Rows):
                work.after = cursor
                cursor += len(work.events)
        return cursor

    async def _reconnected(self) -> AsyncConnection:
        """Return a new connection, when it is known what became of the last one's commit."""
        connection = await self._database.exclusive()
        try:
            async with connection.begin():
                found = await cursors.after(connection, self._cursor, self._unreadable)
                self._cursor = await cursors.newest(connection)
        except BaseException:
            await connection.close()
            raise
        self._found(found)
        return connection

    async def _write(self, connection: AsyncConnection, works: Sequence[Rows | Change]) -> None:
        if self._statements is None:
            raise StoreFailed("the store is not open")
        rows = Rows()
        for work in works:
            if isinstance(work, Rows):
                rows.extend(work)
            else:
                await self._statements.write(connection, rows)
                rows = Rows()
                await work(connection)
        await self._statements.write(connection, rows)

    async def _lose(self, error: Exception) -> None:
        """Part with a connection that may be broken; the next one has to get the lock again."""
        is_sound = isinstance(error, sqlite3.Error) or (
            isinstance(error, DBAPIError) and not error.connection_invalidated
        )
        connection = self._connection
        if connection is not None and not is_sound:
            self._connection = None
            await connection.invalidate()
            await connection.close()
