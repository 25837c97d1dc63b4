"""Terms of office: each lobby that takes the database over begins a new one.

A lobby that lost its connection, and holds the lock again, may go on only in its own term: then no
other lobby had the database in between, and its memory still equals what is stored.
"""

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.store.schema import lobby_member, lobby_term


async def begin(connection: AsyncConnection) -> int:
    """Begin the next term, and return its number; the caller holds the lobby's lock.

    The terms of a group's members end: none of them is active while this lobby holds the lock.
    """
    await connection.execute(lobby_member.update().values(term=lobby_member.c.term + 1))
    return await count(connection)


async def count(connection: AsyncConnection) -> int:
    """Count another term of the database, and return its number."""
    number = await current(connection) + 1
    await connection.execute(lobby_term.insert().values(number=number))
    return number


async def current(connection: AsyncConnection) -> int:
    """Return the number of the newest term; 0 before the first."""
    return int(await connection.scalar(select(func.max(lobby_term.c.number))) or 0)
