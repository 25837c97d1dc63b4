"""Parses what was read of a group's commits, with the queries that a changed room needs."""

from collections.abc import Mapping, Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.store import loading
from casino_lobby.store.group.entries import EVENT, ROOM, Entry, Page
from casino_lobby.store.group.ordering import Ordering
from casino_lobby.store.group.replicas import Item, ReadEvent, ReadRoom, Replicas
from casino_lobby.store.group.room_book import RoomBook
from casino_lobby.store.serialization import read_row
from casino_lobby.store.unreadable import UnreadableRows


class PageReading:
    """Reads the items of pages; `unreadable` records rows that cannot be read.

    Own events that wait for their turn are not parsed: memory has them.
    """

    def __init__(
        self,
        book: RoomBook,
        replicas: Replicas,
        ordering: Ordering[Item],
        unreadable: UnreadableRows,
    ) -> None:
        self._book = book
        self._replicas = replicas
        self._ordering = ordering
        self._unreadable = unreadable

    async def items(self, connection: AsyncConnection, page: Page) -> Sequence[tuple[int, Item]]:
        """Return the items of a page in order."""
        items: list[tuple[int, Item]] = []
        recorded: dict[tuple[str, int], int] = {}
        for entry in page.entries:
            if entry.kind == EVENT:
                recorded[entry.room_id, entry.epoch] = entry.sequence
                if not self._ordering.is_own(entry.number):
                    event = read_row(entry, self._unreadable)
                    items.append((entry.number, ReadEvent(entry, event)))
            elif entry.kind == ROOM:
                if entry.is_archived or self._replicas.is_foreign(entry):
                    room = await self._room(connection, entry, recorded, page.upto)
                    items.append((entry.number, room))
            else:
                items.append((entry.number, entry))
        return items

    async def _room(
        self,
        connection: AsyncConnection,
        entry: Entry,
        recorded: Mapping[tuple[str, int], int],
        upto: int,
    ) -> ReadRoom:
        """Return a room as it is stored, with the events up to a cursor.

        If only its owner has changed, memory has its state: all events are folded into it. Events
        are read again only if the saved state does not contain all that were `recorded` before, by
        room and epoch: it was saved while they were being committed.
        """
        current = self._book.room(entry.room_id)
        if current is not None:
            if entry.is_archived:
                return ReadRoom(entry, None, has_recent=False)
            if self._book.saved(entry.room_id) == hash(entry.content):
                return ReadRoom(entry, current, has_recent=True)
        room = loading.saved_room(entry, self._unreadable)
        if room is None:
            return ReadRoom(entry, None, has_recent=False)
        last = recorded.get((room.room_id, room.epoch), 0)
        if current is None:
            is_exact = not last and (room.epoch, room.last_sequence) == (1, 0)
            has_recent = True
        else:
            if current.epoch == room.epoch:
                last = max(last, current.last_sequence)
            is_exact = last <= room.last_sequence
            has_recent = not is_exact
        if not is_exact:
            await loading.apply_recorded(connection, room, self._unreadable, upto)
        return ReadRoom(entry, room, has_recent)
