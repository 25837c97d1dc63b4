"""Owners of display names in the database: thumbprints of card keys by `name_key`."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.store.lobby_database import Database
from casino_lobby.store.schema import owned_name as table
from casino_lobby.store.statements import NumberedChange


class NameOwners:
    """Stored owners; rows are never changed."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def all(self) -> dict[str, str]:
        """Return every owner; raises StoreFailed."""
        async with self._database.reading() as connection:
            rows = await connection.execute(select(table.c.name_key, table.c.signer))
            return {row.name_key: row.signer for row in rows}


class NewName:
    """The change that stores the owner of a name; in a group another lobby may be first."""

    def __init__(self, name_key: str, signer: str) -> None:
        self._name_key = name_key
        self._signer = signer
        self.owner = signer
        """Who owns the name, once the change is committed."""
        self.change = NumberedChange(self._add)

    async def _add(self, connection: AsyncConnection, number: int | None) -> None:
        self.owner = self._signer
        if number is not None:
            query = select(table.c.signer).where(table.c.name_key == self._name_key)
            stored = await connection.scalar(query)
            if stored is not None:
                self.owner = stored
                return
        values = {"name_key": self._name_key, "signer": self._signer, "changed": number}
        await connection.execute(table.insert().values(values))
