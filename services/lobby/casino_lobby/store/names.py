"""Owners of display names in the database: thumbprints of card keys by `name_key`."""

from sqlalchemy import select

from casino_lobby.store.connection.database import Database
from casino_lobby.store.schema import owned_name as table
from casino_lobby.store.writer import Writer


class NameOwners:
    """Stored owners; additions go through the writer, rows are never changed."""

    def __init__(self, database: Database, writer: Writer) -> None:
        self._database = database
        self._writer = writer

    async def all(self) -> dict[str, str]:
        """Return every owner; raises StoreFailed."""
        async with self._database.reading() as connection:
            rows = await connection.execute(select(table.c.name_key, table.c.signer))
            return {row.name_key: row.signer for row in rows}

    async def add(self, name_key: str, signer: str) -> None:
        """Store an owner; raises StoreFailed."""
        insert = table.insert().values(name_key=name_key, signer=signer)
        await self._writer.write(lambda connection: connection.execute(insert))
