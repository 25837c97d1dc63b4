"""The order and the terms of a lobby that writes: the only one, or a member of a group.

A member holds two advisory locks on its writing connection: that of the database in shared mode, so
that a group and a single lobby exclude each other, and that of its number. As with a single lobby,
nothing that the connection was doing can be committed once another lobby has the lock.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import func, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncConnection
from typing_extensions import override

from casino_lobby.domain.lobby_events import Committed
from casino_lobby.errors import StoreFailed
from casino_lobby.store import cursors, lock, schema
from casino_lobby.store.lock import KEY, SILENCE_S, LobbyLock
from casino_lobby.store.statements import NumberedChange, Rows, Work
from casino_lobby.store.stored_rows import UnreadableRows


class Begun(NamedTuple):
    """What a lobby starts from: the number of its term and the newest cursor."""

    term: int
    newest: int


class Order(ABC):
    """Numbers what is committed, and counts the terms of those who may commit."""

    in_group: bool
    in_transaction_s: int
    """The silence within a transaction after which the server ends the connection, in seconds."""

    @abstractmethod
    async def begin(self, connection: AsyncConnection) -> Begun:
        """Begin a term, within the connection's transaction; the caller holds the lock."""

    @abstractmethod
    async def current_term(self, connection: AsyncConnection) -> int:
        """Return the newest term that is stored: another lobby's, if this one is superseded."""

    @abstractmethod
    async def number(self, connection: AsyncConnection, works: Sequence[Work], newest: int) -> int:
        """Assign numbers within the transaction; return the newest, valid once committed."""

    @abstractmethod
    async def recover(
        self, connection: AsyncConnection, newest: int, unreadable: UnreadableRows
    ) -> tuple[Sequence[Committed], int]:
        """Return what was committed without confirmation, and the newest cursor."""


class SingleOrder(Order):
    """The order of the only writer, which numbers the events without a query."""

    in_group = False
    in_transaction_s = SILENCE_S

    @override
    async def begin(self, connection: AsyncConnection) -> Begun:
        newest = await cursors.newest(connection)
        return Begun(await lock.begin_term(connection), newest)

    @override
    async def current_term(self, connection: AsyncConnection) -> int:
        return await lock.current_term(connection)

    @override
    async def number(self, connection: AsyncConnection, works: Sequence[Work], newest: int) -> int:
        for work in works:
            if isinstance(work, Rows):
                work.after = newest
                newest += len(work.events)
        return newest

    @override
    async def recover(
        self, connection: AsyncConnection, newest: int, unreadable: UnreadableRows
    ) -> tuple[Sequence[Committed], int]:
        recovered = await cursors.after(connection, newest, unreadable)
        return recovered, await cursors.newest(connection)


MOST_MEMBERS: Final = 64

_FORGOTTEN: Final = 1_000_000
"""After so many numbers every member has followed the end of a removed room."""

CHANNEL: Final = "a2a_casino_lobby"
"""The channel on which PostgreSQL reports each commit of a group, with its newest number."""

_TRY_SHARED = text("SELECT pg_try_advisory_lock_shared(:key)")
_UNLOCK_SHARED = text("SELECT pg_advisory_unlock_shared(:key)")
_TRY_NUMBER = text("SELECT pg_try_advisory_lock(:key)")
_ADVANCE = text(
    "WITH advanced AS"
    " (UPDATE lobby_order SET newest = newest + :count RETURNING newest)"
    " SELECT newest, pg_notify(:channel, newest::text) FROM advanced"
)
"""The lock of the row is held until the commit, so that commits come in the order of numbers."""


def key_of(number: int) -> int:
    """Return the key of a member's advisory lock."""
    return KEY + number


class MemberLock(LobbyLock):
    """The locks of one member, which takes the first free number and keeps it."""

    def __init__(self, url: URL) -> None:
        super().__init__(url)
        self.number = 0
        """The number of the member; 0 before it has one."""

    async def try_lock(self, connection: AsyncConnection) -> bool:
        """Try to lock the database and a number; False also if all numbers are taken."""
        if not await connection.scalar(_TRY_SHARED, {"key": KEY}):
            return False
        for number in [self.number] if self.number else range(1, MOST_MEMBERS + 1):
            if await connection.scalar(_TRY_NUMBER, {"key": key_of(number)}):
                self.number = number
                return True
        await connection.execute(_UNLOCK_SHARED, {"key": KEY})
        return False


class GroupOrder(Order):
    """Numbers the commits of one member in the order of its group.

    `peer_url` is the address of the member for the others.
    """

    in_group = True
    in_transaction_s = 4
    """Less than a term lasts in silence: the others wait for the end of the transaction."""

    def __init__(self, peer_url: str) -> None:
        self._peer_url = peer_url
        self._lock: MemberLock | None = None
        self.session = 0
        """The process id of the writing connection at the server."""

    def lock_of(self, url: URL) -> MemberLock:
        """Return the lock of a database that is opened."""
        self._lock = MemberLock(url)
        return self._lock

    @property
    def member(self) -> int:
        """The number of this member; raises StoreFailed if it has none."""
        if self._lock is None or not self._lock.number:
            raise StoreFailed("this lobby is not a member of the group")
        return self._lock.number

    @override
    async def begin(self, connection: AsyncConnection) -> Begun:
        """Begin a term of this member's number, and take what belongs to nobody.

        The term of a single lobby, which may have lost the database without noticing, ends.
        """
        await connection.execute(schema.lobby_order.select().with_for_update())
        newest = await cursors.newest(connection) + 1
        await connection.execute(schema.lobby_order.update().values(newest=newest))
        await lock.count_term(connection)
        member = schema.lobby_member
        new = insert(member).values(number=self.member, url=self._peer_url, term=1)
        changed = {"url": new.excluded.url, "term": member.c.term + 1, "since": func.now()}
        term = await connection.scalar(
            new.on_conflict_do_update(index_elements=["number"], set_=changed).returning(
                member.c.term
            )
        )
        await take(connection, None, self.member, newest)
        removed = schema.removed_room
        await connection.execute(removed.delete().where(removed.c.changed < newest - _FORGOTTEN))
        await connection.execute(func.pg_notify(CHANNEL, str(newest)).select())
        await self._note_session(connection)
        return Begun(int(term or 0), newest)

    @override
    async def current_term(self, connection: AsyncConnection) -> int:
        member = schema.lobby_member
        query = (
            member.select().with_only_columns(member.c.term).where(member.c.number == self.member)
        )
        return int(await connection.scalar(query) or 0)

    @override
    async def number(self, connection: AsyncConnection, works: Sequence[Work], newest: int) -> int:
        count = sum(map(_numbers, works))
        if not count:
            return newest
        newest = int(await connection.scalar(_ADVANCE, {"count": count, "channel": CHANNEL}) or 0)
        number = newest - count
        for work in works:
            if isinstance(work, Rows):
                work.after = number
            elif isinstance(work, NumberedChange):
                work.number = number + 1
            number += _numbers(work)
        return newest

    @override
    async def recover(
        self, connection: AsyncConnection, newest: int, unreadable: UnreadableRows
    ) -> tuple[Sequence[Committed], int]:
        """Return nothing: the follower reads what was committed without confirmation."""
        await self._note_session(connection)
        return (), newest

    async def _note_session(self, connection: AsyncConnection) -> None:
        driver: Any = (await connection.get_raw_connection()).driver_connection
        self.session = driver.get_server_pid()


def _numbers(work: Work) -> int:
    if isinstance(work, Rows):
        return len(work.events) + len(work.rooms)
    return int(isinstance(work, NumberedChange))


async def take(
    connection: AsyncConnection, of: int | None, member: int, number: int
) -> tuple[int, int]:
    """Give all of a lost member (None: of nobody) to another; return how many rooms, commands."""
    room, command = schema.room, schema.command
    rooms = await connection.execute(
        room.update()
        .where(room.c.owner.is_(None) if of is None else room.c.owner == of)
        .where(room.c.archived_at.is_(None))
        .values(owner=member, changed=number)
    )
    commands = await connection.execute(
        command.update()
        .where(command.c.owner.is_(None) if of is None else command.c.owner == of)
        .where(command.c.answer.is_(None))
        .values(owner=member)
    )
    return rooms.rowcount, commands.rowcount
