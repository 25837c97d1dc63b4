"""Order and terms of a database that one lobby at a time writes."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.domain.lobby_events import Committed
from casino_lobby.store import cursors
from casino_lobby.store.connection import terms
from casino_lobby.store.connection.lobby_lock import SILENCE_S
from casino_lobby.store.rows import Rows, Work
from casino_lobby.store.unreadable import UnreadableRows


class Begun(NamedTuple):
    """What a lobby starts from: the number of its term and the newest cursor."""

    term: int
    newest: int


class Order(Protocol):
    """Numbers what is committed, and counts the terms of those who may commit."""

    in_group: bool
    in_transaction_s: int
    """The silence within a transaction after which the server ends the connection, in seconds."""

    async def begin(self, connection: AsyncConnection) -> Begun:
        """Begin a term, within the connection's transaction; the caller holds the lock."""
        ...

    async def current_term(self, connection: AsyncConnection) -> int:
        """Return the newest term that is stored: another lobby's, if this one is superseded."""
        ...

    async def number(self, connection: AsyncConnection, works: Sequence[Work], newest: int) -> int:
        """Assign numbers within the transaction; return the newest, valid once committed."""
        ...

    async def recover(
        self, connection: AsyncConnection, newest: int, unreadable: UnreadableRows
    ) -> tuple[Sequence[Committed], int]:
        """Return what was committed without confirmation, and the newest cursor."""
        ...


class SoleOrder:
    """The order of the only writer, which numbers the events without a query."""

    in_group = False
    in_transaction_s = SILENCE_S

    async def begin(self, connection: AsyncConnection) -> Begun:
        """Begin a term; that of every member of a group ends."""
        newest = await cursors.newest(connection)
        return Begun(await terms.begin(connection), newest)

    async def current_term(self, connection: AsyncConnection) -> int:
        """Return the number of the newest term."""
        return await terms.current(connection)

    async def number(self, _connection: AsyncConnection, works: Sequence[Work], newest: int) -> int:
        """Assign every event its cursor; return the newest, valid once committed."""
        for work in works:
            if isinstance(work, Rows):
                work.after = newest
                newest += len(work.events)
        return newest

    async def recover(
        self, connection: AsyncConnection, newest: int, unreadable: UnreadableRows
    ) -> tuple[Sequence[Committed], int]:
        """Return the events that were committed without confirmation, and the newest cursor."""
        recovered = await cursors.after(connection, newest, unreadable)
        return recovered, await cursors.newest(connection)
