"""Follows what the other members of a group commit: PostgreSQL reports it, a query reads it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final

import structlog
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from casino_lobby.errors import StoreFailed
from casino_lobby.store.connection.database import why
from casino_lobby.store.connection.lobby_lock import CONNECTING_S, SESSION, discard, guard
from casino_lobby.store.group.membership import CHANNEL

LOOK_EVERY_S: Final = 1.0
"""The pause after which it reads without a notification: one may be lost."""

WAIT_S: Final = 8.0
"""How long a caller waits for what is being read."""

_QUERY_S, _RECONNECT_S = 10.0, 0.2

logger = structlog.get_logger(__name__)


class Follower:
    """Calls `read` with its own connection when there is news, until it is closed.

    `read` returns whether it has read everything. `is_news` says whether a number that PostgreSQL
    reports has not been read, and by which session it was committed.
    """

    def __init__(
        self,
        url: str,
        read: Callable[[AsyncConnection], Awaitable[bool]],
        is_news: Callable[[int, int], bool],
    ) -> None:
        self._url = url
        self._engine: AsyncEngine | None = None
        self._read = read
        self._is_news = is_news
        self._news = asyncio.Event()
        self._waiting: list[asyncio.Future[None]] = []
        self._running: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to follow."""
        self._engine = create_async_engine(
            self._url,
            poolclass=NullPool,
            isolation_level="AUTOCOMMIT",
            connect_args={"timeout": CONNECTING_S, "server_settings": SESSION},
        )
        self._running = asyncio.create_task(self._run(), name="store follower")

    async def close(self) -> None:
        """Stop following; whoever waits gets StoreFailed."""
        running, self._running = self._running, None
        if running is not None:
            running.cancel()
            await asyncio.wait([running])
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_exception(StoreFailed("the store is closed"))
        if self._engine is not None:
            await self._engine.dispose()

    def wake(self) -> None:
        """Read as soon as possible."""
        self._news.set()

    async def refresh(self) -> None:
        """Wait for a reading that begins after the call; raises StoreFailed."""
        if self._running is None:
            raise StoreFailed("the store is closed")
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        self.wake()
        try:
            async with asyncio.timeout(WAIT_S):
                await waiter
        except TimeoutError as error:
            raise StoreFailed("what other lobbies committed cannot be read") from error

    async def _run(self) -> None:
        is_reported = False
        while True:
            try:
                async with self._listening() as connection:
                    while True:
                        await self._read_all(connection)
                        is_reported = False
                        await self._wait()
            except Exception as error:  # noqa: BLE001  whatever it was, a new connection may help
                if not is_reported:
                    logger.warning("follower_lost", error=why(error))
                is_reported = True
            await asyncio.sleep(_RECONNECT_S)

    async def _wait(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LOOK_EVERY_S):
                await self._news.wait()

    async def _read_all(self, connection: AsyncConnection) -> None:
        is_complete = False
        while not is_complete:
            self._news.clear()
            waiting = [waiter for waiter in self._waiting if not waiter.done()]
            async with asyncio.timeout(_QUERY_S):
                is_complete = await self._read(connection)
            if is_complete:
                self._waiting = [waiter for waiter in self._waiting if waiter not in waiting]
                for waiter in waiting:
                    if not waiter.done():
                        waiter.set_result(None)

    @contextlib.asynccontextmanager
    async def _listening(self) -> AsyncIterator[AsyncConnection]:
        if self._engine is None:
            raise StoreFailed("the store is not open")
        connection = await self._engine.connect()
        try:
            driver: Any = (await connection.get_raw_connection()).driver_connection
            await driver.add_listener(CHANNEL, self._hear)
            await guard(connection, self.wake)
            yield connection
        finally:
            await discard(connection)

    def _hear(self, _driver: object, session: int, _channel: str, newest: str) -> None:
        if self._is_news(int(newest), session):
            self.wake()
