"""The commands under way, in the database."""

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Row, select

from casino_lobby.store.database import Database
from casino_lobby.store.schema import command as table
from casino_lobby.store.store import Command, StoreFailed
from casino_lobby.store.unreadable import UNREADABLE, UnreadableRows
from casino_lobby.store.writer import Writer


class Commands:
    """Reads beside the writer, changes through it."""

    def __init__(self, database: Database, writer: Writer, unreadable: UnreadableRows) -> None:
        self._database = database
        self._writer = writer
        self._unreadable = unreadable

    async def intend(self, command: Command) -> Command:
        """Keep a new command, or return the one that is known by its key."""
        known = await self._known(command.key)
        if known is not None:
            return known
        insert = table.insert().values(
            key=command.key,
            name=command.name,
            digest=command.digest,
            given=command.given,
            notes=json.dumps(dict(command.notes)),
            answer=command.answer,
        )
        try:
            await self._writer.write(lambda connection: connection.execute(insert))
        except StoreFailed:
            known = await self._known(command.key)  # somebody was quicker
            if known is None:
                raise
            return known
        return command

    async def note(self, key: str, notes: Mapping[str, str]) -> None:
        """Add to a command's notes."""
        known = await self._known(key)
        if known is None:
            raise StoreFailed(f"there is no command {key}")
        await self._change(key, notes=json.dumps({**known.notes, **notes}))

    async def finish(self, key: str, answer: str) -> None:
        """Keep a command's answer."""
        await self._change(key, answer=answer)

    async def drop(self, key: str) -> None:
        """Forget a command."""
        delete = table.delete().where(table.c.key == key)
        await self._writer.write(lambda connection: connection.execute(delete))

    async def pending(self) -> list[Command]:
        """Return the commands without an answer, the oldest first."""
        unanswered = select(table).where(table.c.answer.is_(None)).order_by(table.c.position)
        async with self._database.reading() as connection:
            rows = (await connection.execute(unanswered)).all()
        found = (self._read(row) for row in rows)
        return [command for command in found if command is not None]

    async def _change(self, key: str, **values: str) -> None:
        update = table.update().where(table.c.key == key).values(**values)
        await self._writer.write(lambda connection: connection.execute(update))

    async def _known(self, key: str) -> Command | None:
        async with self._database.reading() as connection:
            found = await connection.execute(select(table).where(table.c.key == key))
            row = found.one_or_none()
        if row is None:
            return None
        command = self._read(row)
        if command is None:  # whether it was carried out is not known any more
            raise StoreFailed(f"the command {key} cannot be read back")
        return command

    def _read(self, row: Row[Any]) -> Command | None:
        try:
            return _command(row)
        except UNREADABLE as error:
            self._unreadable.note("command", str(row.key), error)
            return None


def _command(row: Row[Any]) -> Command:
    notes, given = json.loads(row.notes), json.loads(row.given)
    if not isinstance(notes, dict) or not isinstance(given, dict):
        raise TypeError("its input or its notes are no object")
    return Command(row.key, row.name, row.digest, row.given, notes, row.answer)
