"""The lock that makes a lobby the active one, whether it is held at this moment, and its terms.

The active lobby writes on the very connection that holds PostgreSQL's advisory lock. PostgreSQL
releases the lock only after it has rolled back or committed what the connection was doing, so no
transaction of a lobby can be committed once another lobby has the lock.

PostgreSQL ends a connection that nobody uses any more, and releases the lock:
- whose process was killed: at once;
- whose machine has vanished: after 11 s of unanswered keepalives, or 10 s of unanswered data;
- whose process hangs: after `SILENCE_S` without a statement (PostgreSQL 14 or newer).

Each lobby that takes the database over begins a new term. One that lost its connection, and holds
the lock again, may go on only in its own term: then no other lobby had the database in between, and
its memory still equals what is stored.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Any, Final

import structlog
from sqlalchemy import select, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from casino_lobby.errors import StoreFailed
from casino_lobby.store.schema import lobby_member

SILENCE_S: Final = 10
"""A lobby that sends no statement for this many seconds loses its lock."""

CONNECTING_S: Final = 5
"""The limit of connecting to the server, and of asking for the lock."""

SESSION: Final = {
    "application_name": "a2a-casino lobby",
    "tcp_keepalives_idle": "5",
    "tcp_keepalives_interval": "2",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "10000",
}
"""Settings of every session of a lobby; those of TCP are without effect on a Unix socket."""

KEY: Final = 0x_A2A_CA51_4010_BB1
_TRY_LOCK = text("SELECT pg_try_advisory_lock(:key)")
_IDLE_SESSIONS_END_SINCE = 140_000
"""The first `server_version_num` with `idle_session_timeout`."""


class LobbyLock:
    """The lock of one database, and the connection that asks for it or holds it."""

    def __init__(self, url: URL) -> None:
        # Without a pool: a connection that is given back ends, and so does its lock.
        self._engine: AsyncEngine = create_async_engine(
            url,
            poolclass=NullPool,
            connect_args={"timeout": CONNECTING_S, "server_settings": SESSION},
        )
        self._asking: AsyncConnection | None = None

    async def acquire(self) -> AsyncConnection | None:
        """None while another lobby holds it. Raises SQLAlchemyError, OSError, TimeoutError."""
        try:
            async with asyncio.timeout(CONNECTING_S):
                if self._asking is None:
                    self._asking = await self._engine.connect()
                async with self._asking.begin():
                    is_held = await self.try_lock(self._asking)
        except BaseException:
            await self.stop_asking()
            raise
        if not is_held:
            return None
        holder, self._asking = self._asking, None
        return holder

    async def try_lock(self, connection: AsyncConnection) -> bool:
        return bool(await connection.scalar(_TRY_LOCK, {"key": KEY}))

    async def stop_asking(self) -> None:
        asking, self._asking = self._asking, None
        if asking is not None:
            await discard(asking)

    async def close(self) -> None:
        await self.stop_asking()
        await self._engine.dispose()


async def guard(
    connection: AsyncConnection, on_end: Callable[[], None], in_transaction_s: int = SILENCE_S
) -> None:
    """Prepare a connection that holds the lock; `on_end` is called as soon as it has ended.

    PostgreSQL is asked to end the session, and so the lock, after `SILENCE_S` without a statement.
    A process that is frozen, or a machine behind a proxy that answers keepalives for it, would
    otherwise hold the lock for ever. Within a transaction it is asked to do so after
    `in_transaction_s`. Without effect on SQLite, whose lock is the process's.
    """
    if connection.dialect.name != "postgresql":
        return
    driver: Any = (await connection.get_raw_connection()).driver_connection
    driver.add_termination_listener(lambda _driver: on_end())
    async with connection.begin():
        version = int(await connection.scalar(text("SHOW server_version_num")) or 0)
        limits = {"idle_in_transaction_session_timeout": in_transaction_s}
        if version >= _IDLE_SESSIONS_END_SINCE:
            limits["idle_session_timeout"] = SILENCE_S
        for setting, limit_s in limits.items():
            await connection.execute(text(f"SET {setting} = '{limit_s}s'"))


async def discard(connection: AsyncConnection) -> None:
    """Close a connection that may be broken; its session ends, and with it its lock."""
    try:
        await connection.invalidate()
    except (SQLAlchemyError, OSError):
        pass  # it is broken already
    finally:
        await connection.close()


HELD_S: Final = 8.0
"""How long an answer of the database counts: less than it takes to lose the lock in silence."""

_SUPERSEDED = "another lobby holds the database, or has held it in the meantime"

logger = structlog.get_logger(__name__)


class LockValidity:
    """The term of a lobby, from its beginning until another lobby begins the next one.

    `can_end` is whether the lock may be lost while the process runs. `on_superseded` is called once
    another lobby has taken over. `clock` returns seconds.
    """

    def __init__(
        self,
        can_end: Callable[[], bool],
        on_superseded: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._can_end = can_end
        self._on_superseded = on_superseded
        self._clock = clock
        self._confirmed_at: float | None = None
        self._is_superseded = False
        self.term = 0
        """The number of the term; 0 before it begins."""

    @property
    def is_held(self) -> bool:
        """Whether no other lobby can have the database at this moment."""
        if not self._can_end():
            return True
        if self._is_superseded or self._confirmed_at is None:
            return False
        return self._clock() - self._confirmed_at < HELD_S

    def now(self) -> float:
        """Return the time at which a statement is sent, for `confirm`."""
        return self._clock()

    def begin(self, term: int, sent_at: float) -> None:
        """Begin the term with a statement that was sent at a time."""
        self.term = term
        self.confirm(sent_at)

    def confirm(self, sent_at: float) -> None:
        """Note that a statement was executed on the connection that holds the lock."""
        self._confirmed_at = sent_at

    def lose(self) -> None:
        self._confirmed_at = None

    def check(self) -> None:
        """Raise StoreFailed if another lobby has taken over: this one must not write any more."""
        if self._is_superseded:
            raise StoreFailed(_SUPERSEDED)

    def compare(self, newest_term: int) -> None:
        """Compare the newest term that is stored with this one.

        Raises StoreFailed, now and from then on, if another lobby has begun a term.
        """
        if newest_term != self.term:
            self._is_superseded = True
            logger.error("lobby_superseded", term=self.term, newest_term=newest_term)
            self._on_superseded()
        self.check()


_COUNT = text(
    "INSERT INTO lobby_member (number, url, term) VALUES (0, '', 1) ON CONFLICT (number)"
    " DO UPDATE SET term = lobby_member.term + 1, since = CURRENT_TIMESTAMP RETURNING term"
)


async def begin_term(connection: AsyncConnection) -> int:
    """Begin the next term, which ends those of a group's members; the caller holds the lock."""
    members = lobby_member.update().where(lobby_member.c.number > 0)
    await connection.execute(members.values(term=lobby_member.c.term + 1))
    return await count_term(connection)


async def count_term(connection: AsyncConnection) -> int:
    """Count another term of the database, and return its number."""
    return int(await connection.scalar(_COUNT) or 0)


async def current_term(connection: AsyncConnection) -> int:
    """Return the number of the newest term of the database; 0 before the first."""
    query = select(lobby_member.c.term).where(lobby_member.c.number == 0)
    return int(await connection.scalar(query) or 0)
