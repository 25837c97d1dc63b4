"""One follower's way through a stream: what was committed before, then what happens.

There is neither a gap nor anything twice: a reader subscribes, reads the store up to the newest
cursor of that moment, and goes on with its queue, which holds exactly what came after.
"""

from collections.abc import AsyncIterator, Sequence

from casino_lobby import frames
from casino_lobby.feed import LOBBY, Feed, Item
from casino_lobby.rooms import Room
from casino_lobby.store import Store

_PAGE = 100
"""So many events at most are sent together: some 50 kB."""


class TooFarBehind(Exception):
    """The reader cannot go on without a gap."""


class Reader:
    """Reads a room's stream, or the lobby's where `room` is None, from a cursor on.

    Without a cursor, or with one that the store does not know, it begins with a snapshot.
    """

    def __init__(self, store: Store, feed: Feed, room: Room | None, after: int | None) -> None:
        self.cursor = after or 0
        """Up to it everything has been read."""
        self._store = store
        self._feed = feed
        self._room = room
        self._topic = room.room_id if room else LOBBY
        self._resumes = after is not None and (store.kept_after(room) <= after <= store.last_cursor)

    async def pages(self) -> AsyncIterator[Sequence[Item]]:
        """Yield what there is to be sent, in its order; raises TooFarBehind."""
        if self._resumes:  # what is long past costs no queue, however slowly it is read
            async for page in self._past(self._store.last_cursor):
                yield page
        subscription = self._feed.subscribe(self._topic)
        newest = self._store.last_cursor
        was_over = self._room is not None and self._room.is_over
        try:
            if not self._resumes:
                self.cursor = newest
                yield [Item(self._snapshot())]
            async for page in self._past(newest):
                yield page
            if was_over and self._room is not None:
                yield [Item(frames.room_closed(self._room))]
                return
            while page := await subscription.take(_PAGE):
                self.cursor = _last(page, self.cursor)
                yield page
        finally:
            self._feed.unsubscribe(self._topic, subscription)
        if subscription.is_lagging:
            raise TooFarBehind

    async def _past(self, newest: int) -> AsyncIterator[Sequence[Item]]:
        while self.cursor < newest:
            if self.cursor < self._store.kept_after(self._room):  # forgotten meanwhile
                raise TooFarBehind
            found = await self._store.committed(self.cursor, _PAGE, self._room)
            page = [Item(frames.table_event(one), one) for one in found if one.cursor <= newest]
            self.cursor = _last(page, self.cursor) if len(page) == _PAGE else newest
            if page:
                yield page

    def _snapshot(self) -> bytes:
        if self._room is None:
            return frames.lobby_snapshot(self._store.rooms(), self.cursor)
        return frames.room_snapshot(self._room, self.cursor)


def _last(page: Sequence[Item], before: int) -> int:
    """Return the cursor up to which a page leads."""
    return max((item.committed.cursor for item in page if item.committed), default=before)
