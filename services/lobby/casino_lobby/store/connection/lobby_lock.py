"""PostgreSQL session that makes one of several lobbies the active one: its advisory lock.

The active lobby writes on the very connection that holds the lock. PostgreSQL releases the lock
only after it has rolled back or committed what the connection was doing, so no transaction of a
lobby can be committed once another lobby has the lock.

PostgreSQL ends a connection that nobody uses any more, and releases the lock:
- whose process was killed: at once;
- whose machine has vanished: after 11 s of unanswered keepalives, or 10 s of unanswered data;
- whose process hangs: after `SILENCE_S` without a statement (PostgreSQL 14 or newer).
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

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
_TRY = text("SELECT pg_try_advisory_lock(:key)")
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
        """Return a connection that holds the lock; None while another lobby holds it.

        Raises SQLAlchemyError, OSError, TimeoutError if the server cannot be asked.
        """
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
        """Try to lock the database in the connection's session."""
        return bool(await connection.scalar(_TRY, {"key": KEY}))

    async def stop_asking(self) -> None:
        """Close the connection that asks for the lock, if there is one."""
        asking, self._asking = self._asking, None
        if asking is not None:
            await discard(asking)

    async def close(self) -> None:
        """Release all resources but a connection that holds the lock."""
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
