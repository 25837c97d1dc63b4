"""Names and commands of the SQL store."""

from collections.abc import Callable, Mapping

from casino_lobby.store.commands import Commands
from casino_lobby.store.lobby_database import Database
from casino_lobby.store.lobby_store import Command
from casino_lobby.store.names import NameOwners
from casino_lobby.store.publications import Publications
from casino_lobby.store.sql_publications import SqlPublications
from casino_lobby.store.sql_queries import SqlQueries
from casino_lobby.store.unreadable import UnreadableRows
from casino_lobby.store.writer import Writer


class SqlCommands(SqlQueries):
    """Reads what is stored, and stores commands.

    All changes go through `writer`, queries through `database`.
    """

    def __init__(
        self,
        database: Database,
        writer: Writer,
        unreadable: UnreadableRows,
        member: Callable[[], int | None] = lambda: None,
    ) -> None:
        super().__init__(database, unreadable)
        self.writer = writer
        self.published: Publications = SqlPublications(database, writer)
        self._names = NameOwners(database)
        self._commands = Commands(database, writer, unreadable, member=member)

    # Names.

    async def name_owners(self) -> dict[str, str]:
        """Return the owners of display names by `name_key`; raises StoreFailed."""
        return await self._names.all()

    # Commands.

    async def intend(self, command: Command) -> Command:
        """Store a new command, or return the stored one with the same key."""
        return await self._commands.intend(command)

    async def note(self, key: str, notes: Mapping[str, str]) -> None:
        """Add to a command's notes."""
        await self._commands.note(key, notes)

    async def finish(self, key: str, answer: str) -> None:
        """Store a command's answer."""
        await self._commands.finish(key, answer)

    async def drop(self, key: str) -> None:
        """Delete a refused command, so that it can be sent again."""
        await self._commands.drop(key)

    async def pending(self) -> list[Command]:
        """Return the commands without an answer, the oldest first."""
        return await self._commands.pending()

    async def _command_owner(self, key: str) -> int | None:
        """Return the number of the member that executes a pending command; raises StoreFailed."""
        return await self._commands.owner(key)
