"""Follows what the other members of a group commit: PostgreSQL reports it, a query reads it.

One statement sees one state of the database, and everything up to the newest number of that state
is in it: commits come in the order of their numbers.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, Final, NamedTuple

import structlog
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from casino_lobby.errors import StoreFailed
from casino_lobby.store.commit_order import CHANNEL
from casino_lobby.store.lobby_database import why
from casino_lobby.store.lobby_store import Member
from casino_lobby.store.lock import CONNECTING_S, SESSION, discard, guard

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


EVENT: Final = "event"
ROOM: Final = "room"
REMOVED: Final = "removed"
NAME: Final = "name"
_NEWEST, _MEMBER = "newest", "member"

PAGE: Final = 2_000
"""Maximum number of events that are read at once."""

_AFTER = text("""
SELECT newest AS number, 'newest' AS kind, NULL::text AS room_id, NULL::text AS table_id,
    NULL::bigint AS epoch, NULL::bigint AS sequence, NULL::bytea AS content, NULL::bigint AS owner,
    NULL::boolean AS is_archived, deleted_until
FROM lobby_order
UNION ALL
SELECT number, 'member', url, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM lobby_member WHERE number > 0
UNION ALL (
    SELECT cursor, 'event', room_id, NULL, epoch, sequence, content, NULL, NULL, NULL
    FROM event WHERE cursor > :after ORDER BY cursor LIMIT :limit)
UNION ALL
SELECT changed, 'room', room_id, table_id, NULL, NULL, convert_to(content, 'UTF8'), owner,
    archived_at IS NOT NULL, deleted_until
FROM room WHERE changed > :after
UNION ALL
SELECT changed, 'removed', room_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM removed_room WHERE changed > :after
UNION ALL
SELECT changed, 'name', name_key, NULL, NULL, NULL, convert_to(signer, 'UTF8'), NULL, NULL, NULL
FROM owned_name WHERE changed > :after
ORDER BY 1
""")


class Entry(NamedTuple):
    """A commit: an event, a room's newest state, the end of a room, or the owner of a name.

    Of a name `room_id` is the key and `content` the signer.
    """

    number: int
    kind: str
    room_id: str
    table_id: str
    epoch: int
    sequence: int
    content: bytes
    owner: int | None
    is_archived: bool
    deleted_until: int | None


class Page(NamedTuple):
    """The commits after a position, in order, and the number up to which they are complete.

    `members` are all members of the group by number, those that are lost too.
    """

    upto: int
    members: Mapping[int, Member]
    entries: list[Entry]
    is_last: bool = True
    deleted_until: int = 0
    """The newest cursor of all deleted events."""


async def read_page(connection: AsyncConnection, after: int, limit: int = PAGE) -> Page:
    rows = (await connection.execute(_AFTER, {"after": after, "limit": limit})).all()
    upto, deleted_until, entries, members = after, 0, [], {}
    for row in rows:
        entry = Entry(*row)
        if entry.kind == _NEWEST:
            upto, deleted_until = max(upto, entry.number), entry.deleted_until or 0
        elif entry.kind == _MEMBER:
            members[entry.number] = Member(entry.number, entry.room_id)
        else:
            entries.append(entry)
    events = [entry.number for entry in entries if entry.kind == EVENT]
    if len(events) < limit:
        return Page(upto, members, entries, deleted_until=deleted_until)
    last = events[-1]
    complete = [entry for entry in entries if entry.number <= last]
    return Page(last, members, complete, is_last=False, deleted_until=deleted_until)
