"""Terms of office: each lobby that takes the database over begins a new one.

A lobby that lost its connection, and holds the lock again, may go on only in its own term: then no
other lobby had the database in between, and its memory still equals what is stored.
"""

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.store.schema import lobby_term


async def begin(connection: AsyncConnection) -> int:
    """Begin the next term, and return its number; the caller holds the lobby's lock."""
    number = await current(connection) + 1
    await connection.execute(lobby_term.insert().values(number=number))
    return number


async def current(connection: AsyncConnection) -> int:
    """Return the number of the newest term; 0 before the first."""
    return int(await connection.scalar(select(func.max(lobby_term.c.number))) or 0)
