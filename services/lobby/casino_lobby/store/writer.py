"""The single writer of the database, with group commit.

While a transaction is being committed, further batches queue up and are committed together, so the
commit rate depends on the disk and not on the number of tables. If there is no other writer, each
event's cursor, its position in commit order, is assigned without a query. On PostgreSQL the lock
that makes this lobby the only one may be lost with the connection. The writer asks the database
every second, so that it notices. It writes again only with the lock and in its own term; once
another lobby has begun a term, it never writes again.
"""

import asyncio
import contextlib
import sqlite3
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

import structlog
from casino_contracts.events.table_event import BATCH_BYTES
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.domain.lobby_events import Committed
from casino_lobby.errors import StoreFailed
from casino_lobby.store import schema
from casino_lobby.store.commit_order import Order, SingleOrder
from casino_lobby.store.lobby_database import Database, RowThread, why
from casino_lobby.store.lock import CONNECTING_S, LockValidity, discard, guard
from casino_lobby.store.statements import NumberedChange, Rows, Statements, Work, insert_many
from casino_lobby.store.stored_rows import UnreadableRows

_MAX_BATCH = 256

CONFIRM_EVERY_S = 1.0
"""The pause between two questions whether the lock is still held."""

_LONGEST_TRANSACTION_S = 30.0
"""A connection that does not answer for this long is given up."""

logger = structlog.get_logger(__name__)


class _Job(NamedTuple):
    work: Work
    then: Callable[[], None]
    done: "asyncio.Future[None]"

    def fail(self, error: Exception) -> None:
        if not self.done.cancelled():
            self.done.set_exception(error)

    def finish(self) -> None:
        try:
            self.then()
        except Exception as error:  # noqa: BLE001 - it is raised in the caller
            self.fail(error)
        else:
            if not self.done.cancelled():
                self.done.set_result(None)


async def _ask(connection: AsyncConnection) -> None:
    """Change nothing; the answer confirms the connection and its lock."""
    await connection.execute(text("SELECT 1"))


async def _touch(connection: AsyncConnection) -> None:
    """Write a row as large as a batch and delete it: once committed, nothing is changed."""
    row = {"changed": _NEVER, "room_id": "x" * BATCH_BYTES}
    await connection.execute(schema.removed_room.insert().values(row))
    await connection.execute(schema.removed_room.delete().where(_IS_NEVER))


_NEVER = -1
_IS_NEVER = schema.removed_room.c.changed == _NEVER


def _is_of_database(error: Exception) -> bool:
    """Return whether a change failed because of the database, and not of what it would write."""
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or isinstance(error, OperationalError)
    return isinstance(error, sqlite3.OperationalError | OSError)  # TimeoutError is one


class Writer:
    """Commits rows and changes in order of submission, and assigns cursors.

    `on_recovered` is called before the next commit after a connection was lost during a commit,
    with the events that were committed without confirmation. `validity` is kept up to date. `order`
    assigns the cursors. `on_fault` gets why the database cannot be written, when that begins, and
    None when it is written again; meanwhile the writer tries every second.
    """

    def __init__(
        self,
        database: Database,
        on_recovered: Callable[[Sequence[Committed]], None] = lambda _committed: None,
        unreadable: UnreadableRows | None = None,
        validity: LockValidity | None = None,
        order: Order | None = None,
        on_fault: Callable[[str | None], None] = lambda _error: None,
    ) -> None:
        self._on_fault = on_fault
        self._probing: asyncio.Task[None] | None = None
        """Runs while the database cannot be written."""
        self._database = database
        self._on_recovered = on_recovered
        self._validity = validity or LockValidity(lambda: database.can_lose_lock)
        self._order: Order = order or SingleOrder()
        self._confirming: asyncio.Task[None] | None = None
        self._unreadable = unreadable or UnreadableRows()
        self._cursor = 0
        self._statements: Statements | None = None
        self._connection: AsyncConnection | None = None
        self.rows_thread: RowThread | None = None
        """Commits batches that come without other changes; None on PostgreSQL."""
        self._waiting: deque[_Job] = deque()
        self._news = asyncio.Event()
        self._is_closing = False
        self._running: asyncio.Task[None] | None = None

    def open(self, connection: AsyncConnection) -> None:
        """Write on `connection`, which holds the lobby's lock."""
        dialect = self._database.engine.dialect
        self._statements = Statements.of(dialect, in_group=self._order.in_group)
        self._connection = connection

    async def begin(self) -> int:
        """Begin a term, start writing, return the newest cursor; requires the current schema."""
        if self._connection is None:
            raise StoreFailed("the store is not open")
        sent_at = self._validity.now()
        async with self._connection.begin():
            term, self._cursor = await self._order.begin(self._connection)
        self._validity.begin(term, sent_at)
        await self._guard(self._connection)
        self.rows_thread = self._database.row_thread()
        self._running = asyncio.create_task(self._run(), name="store writer")
        if self._database.can_lose_lock:
            self._confirming = asyncio.create_task(self._confirm(), name="store lock")
        return self._cursor

    async def close(self) -> None:
        """Write the queued jobs and close the connection."""
        self._is_closing = True
        self._news.set()
        for task in (self._confirming, self._probing):
            if task is not None:
                task.cancel()
                await asyncio.wait([task])
        if self._running is not None:
            await self._running
        thread, self.rows_thread = self.rows_thread, None
        if thread is not None:
            await thread.close()
        if self._connection is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CONNECTING_S):
                    await self._connection.close()

    async def write(self, work: Work, then: Callable[[], None] = lambda: None) -> None:
        """Commit, then call `then`, even if the caller was cancelled; raises StoreFailed."""
        if self._is_closing:
            raise StoreFailed("the store is closed")
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Job(work, then, done))
        self._news.set()
        await done

    async def _confirm(self) -> None:
        """Ask again and again; a failure is noticed and logged where it happens."""
        while True:
            await asyncio.sleep(CONFIRM_EVERY_S)
            with contextlib.suppress(StoreFailed):
                await self.write(_ask)

    async def _probe(self) -> None:
        """Write again and again: whether there is space only a change can tell."""
        while True:
            await asyncio.sleep(CONFIRM_EVERY_S)
            with contextlib.suppress(StoreFailed):
                await self.write(_touch)

    async def _run(self) -> None:
        while self._waiting or not self._is_closing:
            self._news.clear()
            if not self._waiting:
                await self._news.wait()
            # Jobs whose caller was cancelled before this point are skipped.
            size = min(_MAX_BATCH, len(self._waiting))
            jobs = [self._waiting.popleft() for _ in range(size)]
            await self._commit([job for job in jobs if not job.done.cancelled()])

    async def _commit(self, jobs: Sequence[_Job]) -> None:
        """Commit jobs in one transaction; if that fails, each in its own."""
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

    async def _transaction(self, works: Sequence[Work]) -> None:
        if not works:
            return
        self._validity.check()
        limit_s = _LONGEST_TRANSACTION_S if self._database.can_lose_lock else None
        sent_at = self._validity.now()
        try:
            async with asyncio.timeout(limit_s):
                if self._connection is None:
                    self._connection = await self._reconnected()
                batches = [work for work in works if isinstance(work, Rows)]
                if self.rows_thread is not None and len(batches) == len(works):
                    cursor = await self._write_rows(self.rows_thread, self._connection, batches)
                else:
                    async with self._connection.begin():
                        cursor = await self._order.number(self._connection, works, self._cursor)
                        await self._write(self._connection, works)
            self._cursor = cursor
            self._validity.confirm(sent_at)
            if self._probing is not None and list(works) != [_ask]:
                self._probing.cancel()
                self._probing = None
                self._on_fault(None)
        except Exception as error:
            if self._probing is None and _is_of_database(error) and not self._is_closing:
                self._on_fault(why(error))
                self._probing = asyncio.create_task(self._probe(), name="store probe")
            await self._lose(error)
            if isinstance(error, StoreFailed):
                raise
            raise StoreFailed(why(error)) from error

    async def _reconnected(self) -> AsyncConnection:
        """Return a new connection after recovering the outcome of the last commit.

        Raises StoreFailed if another lobby has, or has had, the database.
        """
        async with self._database.reading() as reader:
            self._validity.compare(await self._order.current_term(reader))
        connection = await self._database.exclusive()
        try:
            async with connection.begin():
                self._validity.compare(await self._order.current_term(connection))
                recovered, self._cursor = await self._order.recover(
                    connection, self._cursor, self._unreadable
                )
            await self._guard(connection)
        except BaseException:
            await discard(connection)
            raise
        logger.info("database_regained", term=self._validity.term)
        self._on_recovered(recovered)
        return connection

    async def _guard(self, connection: AsyncConnection) -> None:
        def lose() -> None:
            if self._connection is connection:  # not an earlier one
                self._validity.lose()

        await guard(connection, lose, self._order.in_transaction_s)

    async def _write_rows(
        self, thread: RowThread, connection: AsyncConnection, batches: Sequence[Rows]
    ) -> int:
        """Commit rows in their own thread, and return the newest cursor."""
        cursor = await self._order.number(connection, batches, self._cursor)
        statements = self._statements
        assert statements is not None  # noqa: S101  it is open

        def write(driver: sqlite3.Connection) -> None:
            for statement, parameters in statements.of_rows(batches):
                if statement is statements.events:  # nearly all rows
                    insert_many(driver, statement, parameters)
                else:
                    driver.executemany(statement, parameters)

        await thread.transact(write)
        return cursor

    async def _write(self, connection: AsyncConnection, works: Sequence[Work]) -> None:
        if self._statements is None:
            raise StoreFailed("the store is not open")
        batches: list[Rows] = []
        for work in works:
            if isinstance(work, Rows):
                batches.append(work)
                continue
            await self._statements.write(connection, batches)
            batches = []
            if isinstance(work, NumberedChange):
                await work.execute(connection, work.number)
            else:
                await work(connection)
        await self._statements.write(connection, batches)

    async def _lose(self, error: Exception) -> None:
        """Close a connection that may be broken; the next one has to acquire the lock again."""
        is_sound = isinstance(error, sqlite3.Error) or (
            isinstance(error, DBAPIError) and not error.connection_invalidated
        )
        connection = self._connection
        if connection is not None and not is_sound:
            self._connection = None
            self._validity.lose()
            logger.warning("database_lost", term=self._validity.term, error=why(error))
            await discard(connection)
