"""The cursors up to which events are deleted, in memory and as they are stored."""

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.errors import TooFarBehind
from casino_lobby.store.schema import lobby_order, room


class DeletedCursors:
    """The newest cursor of the deleted events of each room, and of all; a group keeps it true.

    >>> deleted = DeletedCursors()
    >>> deleted.note("r1", 7)
    >>> deleted.until("r1"), deleted.until("r2"), deleted.until(None)
    (7, 0, 7)
    """

    def __init__(self) -> None:
        self._by_room: dict[str, int] = {}
        self._newest = 0

    async def load(self, connection: AsyncConnection) -> None:
        """Take what is stored of the rooms that are not archived."""
        self.note_all(await stored_until(connection, None))
        query = select(room.c.room_id, room.c.deleted_until).where(
            room.c.deleted_until.is_not(None), room.c.archived_at.is_(None)
        )
        for room_id, until in await connection.execute(query):
            self.note(room_id, until)

    def until(self, room_id: str | None) -> int:
        """Return the newest cursor of the deleted events of a room, or of all."""
        return self._newest if room_id is None else self._by_room.get(room_id, 0)

    def note(self, room_id: str, until: int) -> None:
        """Note up to where the events of a room are deleted."""
        self._by_room[room_id] = max(until, self._by_room.get(room_id, 0))
        self.note_all(until)

    def note_all(self, until: int) -> None:
        """Note the newest cursor of all deleted events."""
        self._newest = max(until, self._newest)

    def forget(self, room_id: str) -> None:
        """Forget a room that is not in memory any more; what was deleted of all stays."""
        self._by_room.pop(room_id, None)


async def stored_until(connection: AsyncConnection, room_id: str | None) -> int:
    """Return the stored cursor up to which the events of a room, or of all, are deleted."""
    query = select(func.max(lobby_order.c.deleted_until))
    if room_id is not None:
        query = select(func.max(room.c.deleted_until)).where(room.c.room_id == room_id)
    return await connection.scalar(query) or 0


async def refuse_gap(connection: AsyncConnection, after: int, room_id: str | None) -> None:
    """Check, after a page of events was read, that none after a cursor was deleted.

    Raises TooFarBehind.
    """
    if after < await stored_until(connection, room_id):
        raise TooFarBehind
