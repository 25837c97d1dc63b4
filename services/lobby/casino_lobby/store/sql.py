"""A store that outlasts its process: SQLite in one file, or PostgreSQL by URL."""

import asyncio
import json
from collections.abc import Mapping, Sequence

import structlog
from casino_agentkit import CommandRefused
from casino_contracts import TableEvent
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.domain.room import Room
from casino_lobby.store import cursors, schema
from casino_lobby.store import loading as restoring
from casino_lobby.store.archive import Archive
from casino_lobby.store.base import Command, Committed, Listener, StoreFailed
from casino_lobby.store.commands import Commands
from casino_lobby.store.database import Database, why
from casino_lobby.store.hands import HandKey, StoredHand, hand_of, select_hand, select_hands
from casino_lobby.store.ledger import DISCREPANCY
from casino_lobby.store.migrations import upgrade
from casino_lobby.store.names import NameOwners
from casino_lobby.store.projection import RoomProjection
from casino_lobby.store.rows import RoomContent, Rows
from casino_lobby.store.serialization import Writing, is_whole, proved, read_row
from casino_lobby.store.unreadable import UNREADABLE, UnreadableRows, fault_in
from casino_lobby.store.writer import Writer

SAVED_EVERY = 1_000
"""After so many events a room is saved, so that a restart has few to fold."""

_OF_A_ROOM = (schema.event, schema.player, schema.session, schema.hand, schema.ledger, schema.room)

logger = structlog.get_logger(__name__)


class SqlStore:
    """Rooms in memory, everything in SQL; one lobby at a time.

    `url` is `sqlite+aiosqlite:////path/casino.db` or `postgresql+asyncpg://user@host/name`.
    `synchronous` is SQLite's: with `normal` nothing is lost when the process is killed, with `full`
    nothing when the machine loses power, at the price of a disk's flush per commit.
    `write` returns what is kept of an event, `unreadable` takes note of rows that cannot be read.
    """

    def __init__(
        self,
        url: str,
        *,
        synchronous: str = "normal",
        write: Writing = proved,
        unreadable: UnreadableRows | None = None,
    ) -> None:
        self.unreadable = unreadable or UnreadableRows()
        self._write = write
        self._database = Database(url, synchronous)
        self._writer = Writer(self._database, self._found, self.unreadable)
        self._names = NameOwners(self._database, self._writer)
        self._commands = Commands(self._database, self._writer, self.unreadable)
        self._archive = Archive(self._database, self._writer)
        self._rooms: dict[str, Room] = {}
        self._by_table: dict[str, Room] = {}
        self._lost_ids: frozenset[str] = frozenset()
        self._lost_table_ids: frozenset[str] = frozenset()
        self._books: dict[
            str, RoomProjection
        ] = {}  # of the rooms whose picture is known to be the tables'
        self._unsaved: dict[str, int] = {}  # events since a room was saved
        self._saving: set[asyncio.Task[None]] = set()
        self._last_cursor = 0
        self._listeners: list[Listener] = []

    async def open(self) -> None:
        """Take the database for this lobby, bring its schema up to date, read every room."""
        try:
            self._database.open()
            await upgrade(await self._writer.open())
            self._last_cursor = await self._writer.begin()
            async with self._database.reading() as connection:
                stored = await restoring.rooms(connection, self.unreadable)
            for room in stored.rooms:
                self._keep(room)
            self._lost_ids, self._lost_table_ids = stored.lost_ids, stored.lost_table_ids
        except BaseException as error:
            await self.close()
            if isinstance(error, StoreFailed) or not isinstance(error, Exception):
                raise
            raise StoreFailed(why(error)) from error

    async def close(self) -> None:
        """Write what waits, and let go of the database."""
        if self._saving:
            await asyncio.wait(self._saving)
        await self._writer.close()
        await self._database.close()

    # Rooms: read from memory.

    def room(self, room_id: str) -> Room | None:
        """Return a room."""
        return self._rooms.get(room_id)

    def room_of_table(self, table_id: str) -> Room | None:
        """Return the room that a table plays for."""
        return self._by_table.get(table_id)

    def rooms(self) -> list[Room]:
        """Return all rooms, the oldest first."""
        return list(self._rooms.values())

    async def add(self, room: Room) -> None:
        """Keep a new room, in memory at once; when it cannot be kept it is in neither.

        Raises StoreFailed, and CommandRefused: ROOM_EXISTS, TABLE_ID_TAKEN, for the ids of a room
        that cannot be read: its rows are still there.
        """
        if room.room_id in self._lost_ids:
            raise CommandRefused(
                "ROOM_EXISTS",
                f"There is a room {room.room_id} that cannot be read; choose another roomId.",
            )
        if room.table_id in self._lost_table_ids:
            raise CommandRefused(
                "TABLE_ID_TAKEN",
                f"Table {room.table_id} has a room that cannot be read; choose another tableId.",
            )
        values = {
            "room_id": room.room_id,
            "table_id": room.table_id,
            "content": _content(room),
        }
        self._keep(room)

        async def write(connection: AsyncConnection) -> None:
            # A predecessor that could not be removed would be in the way.
            await _forget(connection, room.room_id)
            await connection.execute(schema.room.insert().values(values))

        try:
            await self._writer.write(write)
        except BaseException:
            self._drop(room)
            raise

    async def save(self, room: Room) -> None:
        """Keep what has changed of a room beside its events."""
        self._unsaved[room.room_id] = 0
        content = RoomContent(_content(room), room.room_id)
        await self._writer.write(Rows(rooms=[content]))

    async def remove(self, room: Room) -> None:
        """Forget a room that never opened, in memory at once."""
        self._drop(room)
        await self._writer.write(lambda connection: _forget(connection, room.room_id))

    async def archive(self, room: Room) -> None:
        """Let a room that is over go from memory; its rows stay."""
        await self._archive.put(room)
        self._drop(room)

    async def refuse_archived(self, room: Room) -> None:
        """Raise CommandRefused for a new room with an id of an archived one."""
        await self._archive.refuse_known(room)

    def _keep(self, room: Room) -> None:
        self._rooms[room.room_id] = room
        self._by_table[room.table_id] = room

    def _drop(self, room: Room) -> None:
        if self._rooms.get(room.room_id) is room:
            del self._rooms[room.room_id], self._by_table[room.table_id]
            self._books.pop(room.room_id, None)
            self._unsaved.pop(room.room_id, None)

    # Events.

    async def record(self, room: Room, events: Sequence[TableEvent]) -> None:
        """Append events that follow on each other, and fold them into the room: all or none.

        The caller sees to it that one room has one batch at a time.
        Raises CommandRefused: EVENT_UNREADABLE, EVENT_TOO_LARGE, and StoreFailed.
        """
        books = self._books.get(room.room_id)
        if books is None:
            books = await self._catch_up(room)
        # What was committed for a caller that had gone, or unnoticed, is known by now.
        events = [event for event in events if (event.sequence or 0) > room.last_sequence]
        if self._rooms.get(room.room_id) is not room:
            raise StoreFailed(f"there is no room {room.room_id}")
        draft = books.copy()
        rows = draft.enter(room.epoch, events, self._write)
        try:
            await self._writer.write(rows, lambda: self._recorded(room, draft, rows, events))
        except BaseException:
            # Whether it was committed is not known when the connection was lost: look, next time.
            self._books.pop(room.room_id, None)
            raise

    async def _catch_up(self, room: Room) -> RoomProjection:
        """Make the room's picture and its books those of the tables.

        The writer reads them: after all that was given to it, before all that comes.
        """
        seen: list[tuple[list[TableEvent | restoring.Lost], RoomProjection]] = []

        async def look(connection: AsyncConnection) -> None:
            unseen = await restoring.unseen(connection, room, self.unreadable)
            seen[:] = [(unseen, await restoring.books(connection, room, self.unreadable))]

        def take() -> None:
            unseen, self._books[room.room_id] = seen[0]
            restoring.fold(room, unseen)

        await self._writer.write(look, take)
        return self._books[room.room_id]

    def _recorded(
        self, room: Room, books: RoomProjection, rows: Rows, events: Sequence[TableEvent]
    ) -> None:
        self._books[room.room_id] = books
        restoring.fold(room, events)
        cursors_given = range(rows.after + 1, rows.after + 1 + len(events))
        self._tell(
            room,
            [
                Committed(cursor, room.room_id, event)
                for cursor, event in zip(cursors_given, events, strict=True)
            ],
        )
        for entry in rows.ledger:
            if entry.account == DISCREPANCY:
                logger.error(
                    "chips_do_not_add_up",
                    room=room.room_id,
                    sequence=entry.sequence,
                    hand=entry.hand_number,
                    chips=entry.chips,
                )
        unsaved = self._unsaved.get(room.room_id, 0) + len(events)
        self._unsaved[room.room_id] = unsaved
        if unsaved >= SAVED_EVERY:
            saving = asyncio.ensure_future(self.save(room))
            self._saving.add(saving)
            saving.add_done_callback(self._saved)

    def _found(self, found: Sequence[Committed]) -> None:
        """Fold what was committed though nobody could be told."""
        for one in found:
            room = self._rooms.get(one.room_id)
            if room is not None:
                restoring.fold(room, [one.event])
                self._tell(room, [one])

    def _tell(self, room: Room, committed: Sequence[Committed]) -> None:
        if not committed:
            return
        self._last_cursor = committed[-1].cursor
        for listener in self._listeners:
            listener(room, committed)

    def _saved(self, saving: asyncio.Task[None]) -> None:
        self._saving.discard(saving)
        if not saving.cancelled() and (error := saving.exception()):
            logger.warning("room_not_saved", error=str(error))

    async def events(
        self, room: Room, after: int, limit: int, epoch: int | None = None
    ) -> list[TableEvent]:
        """Return the room's events after a sequence, at most `limit`; of its epoch by default.

        As many as asked for, while there are any that can be read.
        """
        event = schema.event
        found: list[TableEvent] = []
        async with self._database.reading() as connection:
            while len(found) < limit:
                wanted = limit - len(found)
                asked = (
                    select(event.c.room_id, event.c.epoch, event.c.sequence, event.c.content)
                    .where(event.c.room_id == room.room_id, event.c.epoch == (epoch or room.epoch))
                    .where(event.c.sequence > after)
                    .order_by(event.c.sequence)
                    .limit(wanted)
                )
                rows = (await connection.execute(asked)).all()
                told = (read_row(row, self.unreadable) for row in rows)
                found += [one for one in told if one is not None]
                if len(rows) < wanted or not is_whole(rows[-1].sequence):  # those come last
                    break
                after = rows[-1].sequence
        return found

    async def event(self, room: Room, sequence: int) -> TableEvent | None:
        """Return one event of the room's epoch, None when there is none."""
        found = await self.events(room, sequence - 1, 1)
        return found[0] if found and found[0].sequence == sequence else None

    @property
    def last_cursor(self) -> int:
        """The newest cursor: all events up to it are folded into their rooms, and no others."""
        return self._last_cursor

    def oldest_cursor(self, _room: Room | None = None) -> int:
        """Return 0: nothing is forgotten."""
        return 0

    async def committed(
        self, after: int, limit: int, room: Room | None = None
    ) -> Sequence[Committed]:
        """Return events after a cursor in its order, at most `limit`; of a room, or of all."""
        async with self._database.reading() as connection:
            room_id = room.room_id if room else None
            return await cursors.after(
                connection, after, self.unreadable, limit=limit, room_id=room_id
            )

    async def cursor(self, room: Room, epoch: int, sequence: int) -> int | None:
        """Return an event's cursor, None when there is none."""
        async with self._database.reading() as connection:
            return await cursors.of(connection, room.room_id, epoch, sequence)

    def listen(self, listener: Listener) -> None:
        """Tell somebody of every batch."""
        self._listeners.append(listener)

    async def balances(self, room_id: str) -> dict[str, int]:
        """Return the chips of every account of a room that is not empty; they sum to 0."""
        async with self._database.reading() as connection:
            return await restoring.balances(connection, room_id)

    async def hands(
        self, room: Room, after: HandKey | None, limit: int, *, newest_first: bool = False
    ) -> list[StoredHand]:
        """Return the room's completed hands that follow on one, at most `limit`.

        As many as asked for, while there are any that can be read.
        """
        found: list[StoredHand] = []
        async with self._database.reading() as connection:
            while len(found) < limit:
                wanted = limit - len(found)
                asked = select_hands(room.room_id, after, wanted, newest_first=newest_first)
                rows = (await connection.execute(asked)).all()
                told = (hand_of(row, self.unreadable) for row in rows)
                found += [one for one in told if one is not None]
                if len(rows) < wanted:
                    break
                after = HandKey(rows[-1].epoch, rows[-1].hand_number)
        return found

    async def hand(self, room: Room, number: int, epoch: int | None = None) -> StoredHand | None:
        """Return one completed hand, of the newest epoch that has it by default."""
        async with self._database.reading() as connection:
            found = await connection.execute(select_hand(room.room_id, number, epoch))
        row = found.one_or_none()
        return None if row is None else hand_of(row, self.unreadable)

    # Names.

    async def name_owners(self) -> dict[str, str]:
        """Return whose display names are; raises StoreFailed."""
        return await self._names.all()

    async def own_name(self, name_key: str, signer: str) -> None:
        """Keep that a name has an owner now; raises StoreFailed."""
        await self._names.add(name_key, signer)

    # Commands.

    async def intend(self, command: Command) -> Command:
        """Keep a new command, or return the one that is known by its key."""
        return await self._commands.intend(command)

    async def note(self, key: str, notes: Mapping[str, str]) -> None:
        """Add to a command's notes."""
        await self._commands.note(key, notes)

    async def finish(self, key: str, answer: str) -> None:
        """Keep a command's answer."""
        await self._commands.finish(key, answer)

    async def drop(self, key: str) -> None:
        """Forget a command that was refused: it may be sent again."""
        await self._commands.drop(key)

    async def pending(self) -> list[Command]:
        """Return the commands without an answer, the oldest first."""
        return await self._commands.pending()


def _content(room: Room) -> str:
    """Return what is kept of a room; raises StoreFailed where it could not be read back."""
    content = json.dumps(room.to_json())
    try:
        Room.from_json(json.loads(content))
    except UNREADABLE as error:
        raise StoreFailed(
            f"room {room.room_id} could not be read back: {fault_in(error)}"
        ) from error
    return content


async def _forget(connection: AsyncConnection, room_id: str) -> None:
    await cursors.remember(connection)
    for table in _OF_A_ROOM:
        await connection.execute(table.delete().where(table.c.room_id == room_id))
