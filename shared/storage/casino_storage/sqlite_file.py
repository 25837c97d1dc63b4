"""A SQLite file: one process holds it; writes are committed in groups, in order."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from casino_agentkit import Waits
from casino_agentkit.process.private_file import lock_file
from casino_agentkit.process.waits import WaitReasonLike
from sqlalchemy import Executable, MetaData, event, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

_BUSY_MS = 5_000
_GROUP = 500  # most statements that are committed together

Values = Mapping[str, Any]


class SqliteFile:
    """The database, once it is open.

    `write` returns when the statement is committed, so that it lasts over a SIGKILL. What is
    written meanwhile is committed together with the next group. Every failure is raised as the
    exception that `failed` makes of its message. After one of a write, `waits` have the wait
    `why` until the next write that succeeds.
    """

    def __init__(
        self,
        path: Path,
        metadata: MetaData,
        failed: Callable[[str], Exception],
        waits: Waits,
        why: WaitReasonLike,
    ) -> None:
        self._path = path
        self._metadata = metadata
        self._failed = failed
        self._waits = waits
        self._wait = why
        self._lock: int | None = None
        self._engine: AsyncEngine | None = None
        self._waiting: list[tuple[Executable, Values, asyncio.Future[None]]] = []
        self._wake = asyncio.Event()
        self._writes = asyncio.Lock()
        """SQLite admits one writer, and a waiting one at random: under load some never get in."""
        self._writer: asyncio.Task[None] | None = None

    @property
    def engine(self) -> AsyncEngine:
        """The engine of an open database, for modules that write their own tables."""
        if self._engine is None:
            raise self._failed("the database is not open")
        return self._engine

    @property
    def is_open(self) -> bool:
        return self._writer is not None and not self._writer.done()

    async def open(self) -> None:
        """Lock the file, and create it and its tables if they are missing; raises `failed`."""
        self._lock_file()
        engine = create_async_engine(URL.create("sqlite+aiosqlite", database=str(self._path)))
        event.listen(engine.sync_engine, "connect", _prepare)
        self._engine = engine
        try:
            async with engine.begin() as connection:
                await connection.run_sync(self._metadata.create_all)
        except (SQLAlchemyError, OSError) as error:
            await self.close()
            raise self._failed(_why(error)) from error
        self._writer = asyncio.create_task(self._write_groups())

    async def close(self) -> None:
        """Commit what is waiting, and close the file."""
        writer, self._writer = self._writer, None
        if writer is not None:
            while self._waiting and not writer.done():
                await asyncio.sleep(0)
                self._wake.set()
                await asyncio.wait([future for _, _, future in self._waiting] or [writer])
            writer.cancel()
            with suppress(asyncio.CancelledError):
                await writer
        engine, self._engine = self._engine, None
        if engine is not None:
            await engine.dispose()
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """Yield a connection for reading; raises `failed`."""
        try:
            async with self.engine.connect() as connection:
                yield connection
        except (SQLAlchemyError, OSError) as error:
            raise self._failed(_why(error)) from error

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """Yield a connection in a transaction, after the writers before; raises `failed`."""
        try:
            async with self._writes, self.engine.begin() as connection:
                yield connection
        except (SQLAlchemyError, OSError) as error:
            raise self._fault(error) from error
        self._waits.end(self._wait, str(self._path))

    async def look(self) -> None:
        """Write after a failed write, so that its end is noted without the next use."""
        if self._waits.of(str(self._path)):
            with suppress(SQLAlchemyError, OSError):
                await self._commit([(text("PRAGMA user_version = 1"), {})])

    def soon(self, statement: Executable, values: Values) -> asyncio.Future[None]:
        """Write in the background; the future ends, or has `failed`, once it is committed."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # A caller that does not wait for it need not know that it failed.
        future.add_done_callback(lambda done: done.cancelled() or done.exception())
        if self._writer is None or self._writer.done():
            future.set_exception(self._failed("the database is closed"))
            return future
        self._waiting.append((statement, values, future))
        self._wake.set()
        return future

    async def write(self, statement: Executable, values: Values) -> None:
        """Write and wait until it is committed; raises `failed`."""
        await asyncio.shield(self.soon(statement, values))

    async def _write_groups(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._waiting:
                group = self._waiting[:_GROUP]
                try:
                    await self._commit([(statement, values) for statement, values, _ in group])
                except (SQLAlchemyError, OSError) as error:
                    failure = self._fault(error)
                    failure.__cause__ = error
                    self._settle(group, failure)
                else:
                    self._settle(group, None)

    async def _commit(self, group: list[tuple[Executable, Values]]) -> None:
        async with self._writes, self.engine.begin() as connection:
            for statement, values in group:
                await connection.execute(statement, dict(values))
        self._waits.end(self._wait, str(self._path))

    def _fault(self, error: Exception) -> Exception:
        """Note a write that failed, unless what was written is wrong; return what is raised."""
        why = _why(error)
        if not isinstance(error, IntegrityError):
            self._waits.begin(self._wait, str(self._path), why)
        return self._failed(why)

    def _settle(
        self,
        group: list[tuple[Executable, Values, asyncio.Future[None]]],
        failure: Exception | None,
    ) -> None:
        del self._waiting[: len(group)]
        for _, _, future in group:
            if future.done():
                continue
            if failure is None:
                future.set_result(None)
            else:
                future.set_exception(failure)

    def _lock_file(self) -> None:
        try:
            self._lock = lock_file(self._path)
        except BlockingIOError as error:
            raise self._failed(f"another process holds {self._path}") from error
        except OSError as error:
            raise self._failed(f"{self._path} cannot be opened: {error}") from error


def _prepare(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    # A commit lasts over a SIGKILL of the process; a power loss may cost the last ones.
    for pragma in (f"busy_timeout={_BUSY_MS}", "journal_mode=WAL", "synchronous=NORMAL"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _why(error: BaseException) -> str:
    cause = getattr(error, "orig", None) or error
    message = " ".join(str(cause).split())
    return f"the database failed: {message or type(cause).__name__}"
