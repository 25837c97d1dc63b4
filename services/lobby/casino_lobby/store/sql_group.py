"""This lobby's part in a group: its rooms, those it takes over, and what the others commit."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Final

import structlog
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection
from typing_extensions import override

from casino_lobby.domain.lobby_events import EventsMissed, MessageBus, RoomsTaken
from casino_lobby.domain.room import Room
from casino_lobby.errors import StoreFailed
from casino_lobby.store import commit_follower
from casino_lobby.store.commit_follower import WAIT_S, Follower
from casino_lobby.store.commit_order import GroupOrder, key_of, take
from casino_lobby.store.lobby_database import Database
from casino_lobby.store.lobby_store import LobbyGroup, Member
from casino_lobby.store.lock import KEY
from casino_lobby.store.replicas import Item, Ordering, PageReading, Replicas
from casino_lobby.store.room_index import RoomIndex
from casino_lobby.store.schema import lobby_member
from casino_lobby.store.sql_commands import SqlCommands
from casino_lobby.store.statements import NumberedChange
from casino_lobby.store.stored_rows import UnreadableRows
from casino_lobby.store.writer import Writer

LOOK_EVERY_S: Final = 0.5

_MEMBERS = text("""
SELECT member.number,
    member.number IN (SELECT (classid::bigint << 32 | objid::bigint) - :key FROM pg_locks
        WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND mode = 'ExclusiveLock'
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    ) AS is_active,
    EXISTS (SELECT FROM command
        WHERE command.owner = member.number AND command.answer IS NULL) AS has_commands
FROM lobby_member AS member WHERE member.number > 0 ORDER BY member.number
""")
_TRY = text("SELECT pg_try_advisory_xact_lock(:key)")
"""Held until the commit is visible: the lost member regains its lock in the next term only."""

logger = structlog.get_logger(__name__)


class Takeover:
    """Looks at the members again and again, until it is closed.

    `follow` waits until what is committed by now is followed; that publishes the taken rooms.
    `RoomsTaken` without rooms is published afterwards if commands were taken.
    """

    def __init__(
        self,
        database: Database,
        writer: Writer,
        order: GroupOrder,
        book: RoomIndex,
        bus: MessageBus,
        follow: Callable[[], Awaitable[None]],
    ) -> None:
        self._database = database
        self._writer = writer
        self._order = order
        self._book = book
        self._bus = bus
        self._follow = follow
        self._running: asyncio.Task[None] | None = None
        self.active: frozenset[int] = frozenset()
        """The numbers of the members that hold their lock."""

    def start(self) -> None:
        self._running = asyncio.create_task(self._run(), name="store takeover")

    async def close(self) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait([self._running])

    async def look(self) -> list[int]:
        """Read the members; return the lost ones that still own something. Raises StoreFailed."""
        async with self._database.reading() as connection:
            rows = (await connection.execute(_MEMBERS, {"key": KEY})).all()
        self.active = frozenset(row.number for row in rows if row.is_active)
        owners = self._book.owners()
        return [
            row.number
            for row in rows
            if not row.is_active
            and row.number != self._order.member
            and (row.has_commands or row.number in owners)
        ]

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            try:
                for lost in await self.look():
                    await self._take(lost)
            except StoreFailed as error:  # the writer and the follower report it
                logger.debug("members_not_read", error=str(error))

    async def _take(self, lost: int) -> None:
        """Become the owner of everything of a lost member, unless another member was first."""
        member, counts = self._order.member, (0, 0)

        async def change(connection: AsyncConnection, number: int | None) -> None:
            nonlocal counts
            counts = 0, 0
            if number is None or not await connection.scalar(_TRY, {"key": key_of(lost)}):
                return
            counts = await take(connection, lost, member, number)
            if any(counts):
                await connection.execute(
                    lobby_member.update()
                    .where(lobby_member.c.number == lost)
                    .values(term=lobby_member.c.term + 1)
                )

        await self._writer.write(NumberedChange(change))
        rooms, commands = counts
        if rooms or commands:
            logger.warning("member_replaced", member=lost, rooms=rooms, commands=commands)
        with contextlib.suppress(StoreFailed):  # it is followed later
            await self._follow()
        if commands:
            self._bus.publish(RoomsTaken(()))


class SqlGroup(LobbyGroup):
    """Publishes the commits of all members in one order, and takes the rooms of lost ones."""

    def __init__(
        self,
        url: str,
        database: Database,
        writer: Writer,
        order: GroupOrder,
        book: RoomIndex,
        bus: MessageBus,
        unreadable: UnreadableRows,
        commands: SqlCommands,
    ) -> None:
        self._commands = commands
        self._order = order
        self._book = book
        self._bus = bus
        self.replicas = Replicas(book, bus)
        self._ordering: Ordering[Item] = Ordering()
        self._reading = PageReading(book, self.replicas, self._ordering, unreadable)
        self._follower = Follower(url, self._read, self._is_news)
        self._takeover = Takeover(database, writer, order, book, bus, self._follower.refresh)
        self._members: Mapping[int, Member] = {}
        self._reached: list[tuple[int, asyncio.Future[None]]] = []

    async def start(self, position: int) -> None:
        """Begin to follow after the number at which the rooms were loaded."""
        self.replicas.member = self._order.member
        self._ordering.position = position
        await self._takeover.look()
        self._follower.start()
        await self.catch_up()
        self._takeover.start()

    async def stop_taking(self) -> None:
        """Take no rooms any more, before the writer is closed."""
        await self._takeover.close()

    async def close(self) -> None:
        await self._follower.close()
        for _, waiter in self._reached:
            if not waiter.done():
                waiter.set_exception(StoreFailed("the store is closed"))

    # Members and their rooms.

    @property
    def member(self) -> int:
        """The number of this lobby; raises StoreFailed if it has none."""
        return self._order.member

    @override
    def owns(self, room: Room) -> bool:
        return self._book.owner(room.room_id) == self.replicas.member

    @override
    def owner_of(self, room: Room) -> Member | None:
        return self.other(self._book.owner(room.room_id))

    def other(self, number: int | None) -> Member | None:
        if number is None or number == self.replicas.member:
            return None
        return self._members.get(number)

    @override
    def others(self) -> Sequence[Member]:
        active = self._takeover.active - {self.replicas.member}
        return [member for number, member in self._members.items() if number in active]

    # The order of commits.

    @property
    def position(self) -> int:
        """The number up to which everything is published."""
        return self._ordering.position

    def commit(self, after: int, items: Iterable[Item]) -> None:
        """Publish an own commit, as soon as everything before it is published."""
        self._apply(self._ordering.commit(after, items))
        if self._ordering.has_gap:
            self._follower.wake()

    async def published(self, number: int) -> None:
        """Wait until an own commit is published; raises StoreFailed."""
        if self._ordering.position >= number:
            return
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._reached.append((number, waiter))
        try:
            async with asyncio.timeout(WAIT_S):
                await waiter
        except TimeoutError as error:
            raise StoreFailed("what other lobbies committed cannot be read") from error

    @override
    async def command_owner(self, key: str) -> Member | None:
        number = await self._commands.owner(key)
        if number not in {None, self.replicas.member, *self._members}:  # it has just begun
            await self.catch_up()
        return self.other(number)

    @override
    async def find(self, room_id: str) -> Room | None:
        if self._book.room(room_id) is None:
            await self.catch_up()
        return self._book.room(room_id)

    @override
    async def reach(self, cursor: int) -> None:
        if self.position >= cursor:
            return
        await self.catch_up()
        if self.position < cursor:
            raise StoreFailed(f"nothing with the cursor {cursor} is committed")

    async def catch_up(self) -> None:
        """Wait until everything is published that was committed before; raises StoreFailed."""
        await self._follower.refresh()

    def recover(self) -> None:
        """Read what was committed before the connection was lost."""
        self._follower.wake()

    async def _read(self, connection: AsyncConnection) -> bool:
        page = await commit_follower.read_page(connection, self._ordering.position)
        self._note_deleted(page)
        items = await self._reading.items(connection, page)
        self._members = page.members
        self._apply(self._ordering.follow(page.upto, items))
        return page.is_last

    def _note_deleted(self, page: commit_follower.Page) -> None:
        """Note what is deleted; publish `EventsMissed` if this lobby has not read all of it."""
        deleted = self._book.deleted
        if page.deleted_until > max(self._ordering.position, deleted.until(None)):
            self._bus.publish(EventsMissed())
        deleted.note_all(page.deleted_until)
        for entry in page.entries:
            if entry.deleted_until is not None:
                deleted.note(entry.room_id, entry.deleted_until)

    def _is_news(self, newest: int, session: int) -> bool:
        return newest > self._ordering.position and session != self._order.session

    def _apply(self, ready: Sequence[tuple[int, Item]]) -> None:
        self.replicas.apply(ready)
        if not self._reached:
            return
        waiting = []
        for number, waiter in self._reached:
            if number > self._ordering.position:
                waiting.append((number, waiter))
            elif not waiter.done():
                waiter.set_result(None)
        self._reached = [(number, waiter) for number, waiter in waiting if not waiter.done()]
