"""Terms of office: each lobby that takes the database over begins a new one.

A lobby that lost its connection, and holds the lock again, may go on only in its own term: then no
other lobby had the database in between, and its memory still equals what is stored.
"""

from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.store.schema import lobby_member

_COUNT = text(
    "INSERT INTO lobby_member (number, url, term) VALUES (0, '', 1) ON CONFLICT (number)"
    " DO UPDATE SET term = lobby_member.term + 1, since = CURRENT_TIMESTAMP RETURNING term"
)
"""Counts another term of the database itself."""


async def begin(connection: AsyncConnection) -> int:
    """Begin the next term, and return its number; the caller holds the lobby's lock.

    The terms of a group's members end: none of them is active while this lobby holds the lock.
    """
    members = lobby_member.update().where(lobby_member.c.number > 0)
    await connection.execute(members.values(term=lobby_member.c.term + 1))
    return await count(connection)


async def count(connection: AsyncConnection) -> int:
    """Count another term of the database, and return its number."""
    return int(await connection.scalar(_COUNT) or 0)


async def current(connection: AsyncConnection) -> int:
    """Return the number of the newest term of the database; 0 before the first."""
    query = select(lobby_member.c.term).where(lobby_member.c.number == 0)
    return int(await connection.scalar(query) or 0)
