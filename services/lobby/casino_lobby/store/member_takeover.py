"""Takes the rooms of a member that was lost: whose lock is free while it still owns something."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Final

import structlog
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.domain.lobby_events import MessageBus, RoomsTaken
from casino_lobby.errors import StoreFailed
from casino_lobby.store.commit_order import GroupOrder, key_of, take
from casino_lobby.store.lobby_database import Database
from casino_lobby.store.lock import KEY
from casino_lobby.store.room_index import RoomIndex
from casino_lobby.store.schema import lobby_member
from casino_lobby.store.statements import NumberedChange
from casino_lobby.store.writer import Writer

LOOK_EVERY_S: Final = 0.5
"""The pause between two looks at the other members."""

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
        """Begin to look."""
        self._running = asyncio.create_task(self._run(), name="store takeover")

    async def close(self) -> None:
        """Stop looking."""
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
