"""The part of the SQL store that deletes old events and hands, and reads archived rooms."""

from abc import ABC, abstractmethod
from datetime import datetime
from typing import Final

from casino_lobby.domain.room import Room
from casino_lobby.store import deletion
from casino_lobby.store.cursors import stored_until
from casino_lobby.store.deletion import Deletion
from casino_lobby.store.group.answers import GroupAnswers
from casino_lobby.store.lobby_database import Database
from casino_lobby.store.lobby_store import Place
from casino_lobby.store.replicas import OwnChange
from casino_lobby.store.retention import archived
from casino_lobby.store.room_index import RoomIndex
from casino_lobby.store.unreadable import UnreadableRows

_MOST_ROOMS: Final = 1_000


class KeptRecords(GroupAnswers, ABC):
    """Part of a store; changes go through `writer`, so that they are fenced as all others."""

    database: Database
    unreadable: UnreadableRows
    _book: RoomIndex

    @abstractmethod
    def _member(self) -> int | None:
        """Return the number of this lobby in a group."""

    async def archived(self, room_id: str) -> Room | None:
        """Return an archived room, read anew at each call; raises StoreFailed."""
        async with self.database.reading() as connection:
            return await archived.find(connection, room_id, self.unreadable)

    async def archived_rooms(self, after: str | None, limit: int) -> list[Room]:
        """Return at most `limit` archived rooms, the last archived first, without newest events.

        Those that were archived before the room `after`. Raises StoreFailed.
        """
        async with self.database.reading() as connection:
            return await archived.page(connection, after, limit, self.unreadable)

    def oldest_cursor(self, room: Room | None = None) -> int:
        """Return the smallest cursor after which no event of a room (or of all) is missing."""
        return self._book.deleted.until(room.room_id if room and self._book.has(room) else None)

    async def kept_from(self, room: Room) -> Place | None:
        """Return the place of a room's oldest event if older ones are deleted, else None.

        Raises StoreFailed.
        """
        async with self.database.reading() as connection:
            if not await stored_until(connection, room.room_id):
                return None
            return await deletion.first_stored(connection, room.room_id)

    async def stored_hands(self, room: Room) -> int:
        """Return how many completed hands of a room are stored; raises StoreFailed."""
        async with self.database.reading() as connection:
            return await deletion.stored_hands(connection, room.room_id)

    async def first_kept(self, room: Room, keep: int) -> Place | None:
        """Return where the newest `keep` hands begin; None if nothing may be deleted.

        Raises StoreFailed.
        """
        async with self.database.reading() as connection:
            return await deletion.first_kept(connection, room.room_id, keep)

    async def delete_before(
        self, room: Room, kept: Place, most: int = deletion.MOST_DELETED
    ) -> int:
        """Delete the oldest events of a room, and what is stored of their hands, in one commit.

        At most `most`; returns how many, 0 once none is left before `kept`. The room has to be
        saved before. Raises StoreFailed.
        """
        self._refuse_foreign(room)
        async with self.database.reading() as connection:
            step = await deletion.next_step(connection, room.room_id, kept, most)
        oldest = Deletion(room.room_id, step, self._member())

        def note() -> None:
            if oldest.events:
                self._book.deleted.note(room.room_id, oldest.until)
            self._committed(oldest.change, [OwnChange()])

        await self.writer.write(oldest.change, note)
        return oldest.events

    @property
    def deletes_archived(self) -> bool:
        """Whether it is this lobby of a group that deletes archived rooms: that of lowest number.

        Two that believe so at the same time do no harm: their commits come one after the other.
        """
        member = self._member()
        return member is None or all(other.number > member for other in self.others())

    async def expired_rooms(self, before: datetime) -> list[str]:
        """Return ids of rooms that were archived before a time, at most 1,000; StoreFailed."""
        async with self.database.reading() as connection:
            return await deletion.expired(connection, before, _MOST_ROOMS)

    async def delete_archived(self, room_id: str, most: int = deletion.MOST_DELETED) -> bool:
        """Delete an archived room, or its oldest events if it has more than `most`, in one commit.

        Returns False once nothing is left. Raises StoreFailed.
        """
        async with self.database.reading() as connection:
            step = await deletion.first_step(connection, room_id, most)
        work = deletion.RoomRemoval(room_id) if step is None else Deletion(room_id, step, None)

        def note() -> None:
            self._book.deleted.note_all(work.until)
            self._committed(work.change, [OwnChange()])

        await self.writer.write(work.change, note)
        return step is not None
