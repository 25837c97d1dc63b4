"""Owners of display names in the database: thumbprints of card keys by `name_key`."""

from collections.abc import Awaitable, Callable, Mapping

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection
from typing_extensions import override

from casino_lobby.domain.lobby_events import MessageBus, NamesOwned
from casino_lobby.errors import StoreFailed
from casino_lobby.store.lobby_database import Database
from casino_lobby.store.name_owners import NameOwners
from casino_lobby.store.schema import owned_name as table
from casino_lobby.store.statements import NumberedChange


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


class SqlNameOwners(NameOwners):
    """Owners in the database. `write` commits a change; `bus` learns of an owner in its way."""

    def __init__(
        self,
        database: Database,
        write: Callable[[NumberedChange], Awaitable[None]],
        bus: MessageBus,
    ) -> None:
        self._database = database
        self._write = write
        self._bus = bus

    @override
    async def all(self) -> Mapping[str, str]:
        async with self._database.reading() as connection:
            rows = await connection.execute(select(table.c.name_key, table.c.signer))
            return {row.name_key: row.signer for row in rows}

    @override
    async def own(self, name_key: str, signer: str) -> None:
        new = NewName(name_key, signer)
        await self._write(new.change)
        if new.owner != signer:
            self._bus.publish(NamesOwned({name_key: new.owner}))
            raise StoreFailed("another lobby has just stored another owner of the name")
