"""Parses what was read of a group's commits, with the queries that a changed room needs."""

from collections.abc import Iterator, Sequence

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
        for entry in page.entries:
            if entry.kind == EVENT:
                if not self._ordering.is_own(entry.number):
                    items.append((entry.number, self._event(entry)))
            elif entry.kind == ROOM:
                if entry.is_archived or self._replicas.is_foreign(entry):
                    items.append((entry.number, await self._room(connection, entry, page)))
            else:
                items.append((entry.number, entry))
        return items

    def _event(self, entry: Entry) -> ReadEvent:
        return ReadEvent(entry, read_row(entry, self._unreadable))

    async def _room(self, connection: AsyncConnection, entry: Entry, page: Page) -> ReadRoom:
        """Return a room as it is stored, with the events up to the end of the page.

        It is read again only if events are recorded that its saved state does not contain: it was
        saved while they were being committed.
        """
        if entry.is_archived and self._book.room(entry.room_id) is not None:
            return ReadRoom(entry, None, has_recent=False)
        room = loading.saved_room(entry, self._unreadable)
        if room is None:
            return ReadRoom(entry, None, has_recent=False)
        current = self._book.room(entry.room_id)
        recorded = max(_sequences(page, entry, room.epoch), default=0)
        if current is None:
            is_exact = not recorded and (room.epoch, room.last_sequence) == (1, 0)
            has_recent = True
        else:
            if current.epoch == room.epoch:
                recorded = max(recorded, current.last_sequence)
            is_exact = recorded <= room.last_sequence
            has_recent = not is_exact
        if not is_exact:
            await loading.apply_recorded(connection, room, self._unreadable, page.upto)
        return ReadRoom(entry, room, has_recent)


def _sequences(page: Page, entry: Entry, epoch: int) -> Iterator[int]:
    """Yield the sequences of a room's events that were committed before an entry."""
    for event in page.entries:
        if event.number >= entry.number:
            return
        if event.kind == EVENT and (event.room_id, event.epoch) == (entry.room_id, epoch):
            yield event.sequence
