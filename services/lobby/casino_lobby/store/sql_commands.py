"""Commands by their keys, and the owners of display names, in the database."""

import json
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Row, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection
from typing_extensions import override

from casino_lobby.domain.lobby_events import MessageBus, NamesOwned
from casino_lobby.errors import UNREADABLE, StoreFailed
from casino_lobby.store.lobby_database import Database
from casino_lobby.store.lobby_store import NameOwners
from casino_lobby.store.schema import command as table
from casino_lobby.store.schema import owned_name
from casino_lobby.store.statements import NumberedChange
from casino_lobby.store.stored_commands import KEPT, Command, StoredCommands
from casino_lobby.store.stored_rows import UnreadableRows
from casino_lobby.store.writer import Writer

MOST_KEPT = 100_000
_PRUNE_INTERVAL, _PRUNE_AFTER = timedelta(hours=1), 1_000
"""Old commands are deleted at this interval, or after this many new ones."""


class SqlCommands(StoredCommands):
    """Stored commands; changes go through the writer. `now` is the wall clock.

    Finished commands are deleted after `KEPT`, and the oldest beyond `most`. `member` returns the
    number of this lobby in a group, None outside of one.
    """

    def __init__(
        self,
        database: Database,
        writer: Writer,
        unreadable: UnreadableRows,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        most: int = MOST_KEPT,
        member: Callable[[], int | None] = lambda: None,
    ) -> None:
        self._database = database
        self._writer = writer
        self._unreadable = unreadable
        self._now = now
        self._most = most
        self._member = member
        self._begun: set[str] = set()
        """Keys of commands that this process executes; only in a group."""
        self._new = 0
        self._pruned_at: datetime | None = None

    @override
    async def intend(self, command: Command) -> Command:
        stored = await self._stored(command.key)
        if stored is not None:
            return stored
        await self._prune()
        insert = table.insert().values(
            key=command.key,
            name=command.name,
            digest=command.digest,
            given=command.input,
            notes=json.dumps(dict(command.notes)),
            answer=command.answer,
            owner=self._member(),
        )
        self._begin(command.key)
        try:
            await self._writer.write(lambda connection: connection.execute(insert))
        except StoreFailed:
            self._begun.discard(command.key)
            stored = await self._stored(command.key)  # stored by a concurrent request
            if stored is None:
                raise
            return stored
        return command

    @override
    async def note(self, key: str, notes: Mapping[str, str]) -> None:
        stored = await self._stored(key)
        if stored is None:
            raise StoreFailed(f"there is no command {key}")
        await self._change(key, notes=json.dumps({**stored.notes, **notes}))

    @override
    async def finish(self, key: str, answer: str) -> None:
        await self._change(key, answer=answer, finished_at=self._now())
        self._begun.discard(key)

    @override
    async def drop(self, key: str) -> None:
        delete = table.delete().where(table.c.key == key)
        await self._writer.write(lambda connection: connection.execute(delete))
        self._begun.discard(key)

    @override
    async def pending(self) -> list[Command]:
        unanswered = select(table).where(table.c.answer.is_(None)).order_by(table.c.position)
        member = self._member()
        if member is not None:
            unanswered = unanswered.where(table.c.owner == member)
        async with self._database.reading() as connection:
            rows = (await connection.execute(unanswered)).all()
        read = (self._read(row) for row in rows)
        commands = [item for item in read if item is not None and item.key not in self._begun]
        for command in commands:
            self._begin(command.key)
        return commands

    async def owner(self, key: str) -> int | None:
        """Return the member of a group that executes a pending command; raises StoreFailed."""
        query = select(table.c.owner).where(table.c.key == key, table.c.answer.is_(None))
        async with self._database.reading() as connection:
            owner: int | None = await connection.scalar(query)
        return owner

    def _begin(self, key: str) -> None:
        if self._member() is not None:
            self._begun.add(key)

    async def _prune(self) -> None:
        """Delete old finished commands, if that is due."""
        self._new, now = self._new + 1, self._now()
        is_due = self._pruned_at is None or now - self._pruned_at >= _PRUNE_INTERVAL
        if not is_due and self._new < _PRUNE_AFTER:
            return
        self._new, self._pruned_at = 0, now
        is_beyond = table.c.position <= select(func.max(table.c.position)).scalar_subquery() - (
            self._most
        )
        delete = table.delete().where(
            table.c.answer.is_not(None), or_(table.c.finished_at < now - KEPT, is_beyond)
        )
        await self._writer.write(lambda connection: connection.execute(delete))

    async def _change(self, key: str, **values: str | datetime) -> None:
        update = table.update().where(table.c.key == key).values(**values)
        await self._writer.write(lambda connection: connection.execute(update))

    async def _stored(self, key: str) -> Command | None:
        async with self._database.reading() as connection:
            result = await connection.execute(select(table).where(table.c.key == key))
            row = result.one_or_none()
        if row is None:
            return None
        command = self._read(row)
        if command is None:  # whether it was executed is unknown
            raise StoreFailed(f"the command {key} cannot be read back")
        return command

    def _read(self, row: Row[*tuple[Any, ...]]) -> Command | None:
        try:
            return _command(row)
        except UNREADABLE as error:
            self._unreadable.note("command", str(row.key), error)
            return None


def _command(row: Row[*tuple[Any, ...]]) -> Command:
    notes, values = json.loads(row.notes), json.loads(row.given)
    if not isinstance(notes, dict) or not isinstance(values, dict):
        raise TypeError("its input or its notes are no object")
    return Command(row.key, row.name, row.digest, row.given, notes, row.answer)


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
            query = select(owned_name.c.signer).where(owned_name.c.name_key == self._name_key)
            stored = await connection.scalar(query)
            if stored is not None:
                self.owner = stored
                return
        values = {"name_key": self._name_key, "signer": self._signer, "changed": number}
        await connection.execute(owned_name.insert().values(values))


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
            rows = await connection.execute(select(owned_name.c.name_key, owned_name.c.signer))
            return {row.name_key: row.signer for row in rows}

    @override
    async def own(self, name_key: str, signer: str) -> None:
        new = NewName(name_key, signer)
        await self._write(new.change)
        if new.owner != signer:
            self._bus.publish(NamesOwned({name_key: new.owner}))
            raise StoreFailed("another lobby has just stored another owner of the name")
