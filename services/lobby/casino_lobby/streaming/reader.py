"""One follower's way through a stream: what was committed before, then what happens.

There is neither a gap nor anything twice: a reader subscribes, reads the store up to the newest
cursor of that moment, and goes on with its queue, which holds exactly what came after.
"""

from casino_lobby.domain.room import Room
from casino_lobby.store import Store
from casino_lobby.streaming import frames
from casino_lobby.streaming.broadcaster import LOBBY, Broadcaster, Item, Pages, reached

_PAGE = 100
"""So many events at most are sent together: some 50 kB."""


class TooFarBehind(Exception):
    """The reader cannot go on without a gap."""


class StreamReader:
    """Reads a room's stream, or the lobby's where `room` is None, from a cursor on.

    Without a cursor, or with one that the store does not know, it begins with a snapshot; one for
    `late` eyes is of before the running hand, whose events come again then.
    """

    def __init__(
        self,
        store: Store,
        feed: Broadcaster,
        room: Room | None,
        after: int | None,
        *,
        late: bool = False,
    ) -> None:
        self.cursor = after or 0
        """Up to it everything has been read."""
        self._store = store
        self._feed = feed
        self._room = room
        self._late = late
        self._topic = room.room_id if room else LOBBY
        self._resumes = after is not None and (
            store.oldest_cursor(room) <= after <= store.last_cursor
        )

    async def pages(self) -> Pages:
        """Yield what there is to be sent, in its order; raises TooFarBehind."""
        before_hand = None
        if self._resumes:  # what is long past costs no queue, however slowly it is read
            async for page in self._past(self._store.last_cursor):
                yield page
        elif self._late and self._room is not None:
            before_hand = await self._before_hand(self._room)
        subscription = self._feed.subscribe(self._topic)
        newest = self._store.last_cursor
        was_over = self._room is not None and self._room.is_over
        try:
            if not self._resumes:
                self.cursor = newest if before_hand is None else before_hand
                yield [self._snapshot()]
            async for page in self._past(newest):
                yield page
            if was_over and self._room is not None:
                yield [frames.room_closed(self._room)]
                return
            while page := await subscription.take(_PAGE):
                self.cursor = reached(page, self.cursor)
                yield page
        finally:
            self._feed.unsubscribe(self._topic, subscription)
        if subscription.is_lagging:
            raise TooFarBehind

    async def _past(self, newest: int) -> Pages:
        while self.cursor < newest:
            if self.cursor < self._store.oldest_cursor(self._room):  # forgotten meanwhile
                raise TooFarBehind
            found = await self._store.committed(self.cursor, _PAGE, self._room)
            page = [frames.table_event(one) for one in found if one.cursor <= newest]
            self.cursor = reached(page, self.cursor) if len(page) == _PAGE else newest
            if page:
                yield page

    async def _before_hand(self, room: Room) -> int | None:
        """Return the cursor before the running hand; None where none is running."""
        while (since := room.running_since) is not None:
            began = await self._store.cursor(room, *since)
            if room.running_since == since:  # it has not ended meanwhile
                return None if began is None else began - 1
        return None

    def _snapshot(self) -> Item:
        if self._room is None:
            return frames.lobby_snapshot(self._store.rooms(), self.cursor)
        room = self._room.late_snapshot() if self._late else self._room.snapshot()
        return frames.room_snapshot(room, self.cursor)
