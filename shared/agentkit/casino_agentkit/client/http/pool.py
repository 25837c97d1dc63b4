"""Pool of kept connections: per origin, bounded in number and in idle time."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final

from aiohttp import ClientConnectionError

from casino_agentkit.client.http.client_connection import LeanConnection
from casino_agentkit.client.outgoing import Origin

CONNECTIONS: Final = 1_000
"""Open connections of a transport; further requests wait for one, up to their deadline."""
KEEPALIVE_S: Final = 60.0
"""Below the servers' idle timeout, so that no call uses a connection being closed."""
_KEPT: Final = 256  # idle connections of one origin that are kept
_LOOK_EVERY_S: Final = 10.0

Connect = Callable[[], Awaitable[LeanConnection]]


class ConnectionPool:
    """The connections of one transport. Of an origin the one used last is taken first."""

    def __init__(self, limit: int = CONNECTIONS) -> None:
        self._limit = limit
        self._idle: dict[Origin, list[LeanConnection]] = {}
        self._open: set[LeanConnection] = set()
        self._connecting = 0
        self.closings = 0  # how often `close` was called
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._looking: asyncio.TimerHandle | None = None

    def idle(self, origin: Origin, now: float) -> LeanConnection | None:
        """Return a kept connection; one that was idle for too long is closed. None: no other."""
        kept = self._idle.get(origin)
        while kept:
            connection = kept.pop()
            if connection.is_open and now - connection.idle_since <= KEEPALIVE_S:
                return connection
            connection.abort()
        return None

    async def connected(self, connect: Connect) -> LeanConnection:
        """Connect. Raises as `connect`, and ClientConnectionError if the pool closes meanwhile."""
        closings = self.closings
        while len(self._open) + self._connecting >= self._limit:
            if not self._close_an_idle_one():
                free = asyncio.get_running_loop().create_future()
                self._waiting.append(free)
                try:
                    await free
                except asyncio.CancelledError:
                    if free.done() and not free.cancelled():
                        self._let_one_connect()  # another one instead of this
                    raise
        self._connecting += 1
        try:
            connection = await connect()
        except BaseException:
            self._connecting -= 1
            self._let_one_connect()  # another one instead of this
            raise
        self._connecting -= 1
        if closings != self.closings:
            connection.abort()
            raise _closed()
        if connection.is_open:
            self._open.add(connection)
        return connection

    def keep(self, connection: LeanConnection, now: float) -> None:
        """Take back a connection after its reply; it is closed unless it can be used again."""
        kept = self._idle.get(connection.origin, [])
        if not connection.is_reusable or len(kept) >= _KEPT or not connection.is_open:
            connection.abort()
            return
        connection.idle_since = now
        kept.append(connection)
        self._idle[connection.origin] = kept
        if self._looking is None:
            loop = asyncio.get_running_loop()
            self._looking = loop.call_later(_LOOK_EVERY_S, self._look, loop)
        if self._waiting:
            self._let_one_connect()

    def lose(self, connection: LeanConnection) -> None:
        self._open.discard(connection)
        kept = self._idle.get(connection.origin)
        if kept and connection in kept:
            kept.remove(connection)
        self._let_one_connect()

    async def close(self) -> None:
        """Close all connections, and wait until they are closed; calls that wait for one fail."""
        self.closings += 1
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_exception(_closed())
        self._waiting.clear()
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None
        self._idle.clear()
        closing = [connection.closed for connection in self._open]
        for connection in list(self._open):
            connection.abort()
        if ends := [closed for closed in closing if closed is not None]:
            await asyncio.gather(*ends, return_exceptions=True)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        """Close what was idle for too long; look again while there are idle connections."""
        self._looking = None
        before = loop.time() - KEEPALIVE_S
        for origin, kept in list(self._idle.items()):
            for connection in [connection for connection in kept if connection.idle_since < before]:
                kept.remove(connection)
                connection.abort()
            if not kept:
                del self._idle[origin]
        if self._idle:
            self._looking = loop.call_later(_LOOK_EVERY_S, self._look, loop)

    def _close_an_idle_one(self) -> bool:
        idle = [connection for kept in self._idle.values() for connection in kept]
        if not idle:
            return False
        longest = min(idle, key=lambda connection: connection.idle_since)
        self._idle[longest.origin].remove(longest)
        self._open.discard(longest)
        longest.abort()
        return True

    def _let_one_connect(self) -> None:
        while self._waiting:
            waiting = self._waiting.popleft()
            if not waiting.done():
                waiting.set_result(None)
                return


def _closed() -> ClientConnectionError:
    return ClientConnectionError("the transport was closed")
