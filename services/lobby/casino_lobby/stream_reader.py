"""Reads a stream for one client: replayed events from the store, then live events.

There are no gaps and no duplicates: the reader subscribes, replays the store up to the newest
cursor of that moment, and continues with its queue, which holds exactly the later events. The
commentator feed is delayed by one hand, so that it can show all cards. The events of a running hand
are held back until the hand ends. Then its record is sent, followed by the events with their
cursors. The feed never holds information that helps a player of that hand.
"""

from collections.abc import Sequence
from contextlib import aclosing, suppress

from casino_agentkit import CommandRefused
from casino_contracts import Reason
from casino_contracts.events.content import HandCompleted, HandStarted, StatusChanged

from casino_lobby import event_stream
from casino_lobby.domain.reported_event import ReportedEvent, content_of_event
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_views import late_snapshot, room_snapshot
from casino_lobby.errors import StoreFailed, TooFarBehind
from casino_lobby.event_stream import LOBBY, Broadcaster, Item, Pages, reached
from casino_lobby.service.use_cases import HandRecordCache
from casino_lobby.store import Store

_PAGE = 100
"""Maximum number of events that are sent together, about 50 kB."""


class StreamReader:
    """Reads the stream of a room, or of the lobby if `room` is None, after a cursor.

    It starts with a snapshot if `after` is None or not in the store. With `late` the snapshot is of
    the state before the running hand, and the events of that hand follow.
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
        """The cursor up to which everything has been read."""
        self._store = store
        self._feed = feed
        self._room = room
        self._late = late
        self._topic = room.room_id if room else LOBBY
        self._after = after
        self._resumes = False

    async def pages(self) -> Pages:
        """Yield the pages to send, in order; raises TooFarBehind."""
        before_hand = None
        self._resumes = await self._has(self._after)
        if self._resumes:  # replay first, so that a slow replay fills no queue
            async for page in self._replay(self._store.last_cursor):
                yield page
        elif self._late and self._room is not None:
            before_hand = await self._before_hand(self._room.room_id)
        subscription = self._feed.subscribe(self._topic)
        newest, room = self._store.last_cursor, self._present_room()
        was_closed = room is not None and room.is_over
        try:
            if not self._resumes:
                self.cursor = newest if before_hand is None else before_hand
                yield [self._snapshot(room)]
            async for page in self._replay(newest):
                yield page
            if was_closed and room is not None:
                yield [event_stream.room_closed(room)]
                return
            while page := await subscription.take(_PAGE):
                self.cursor = reached(page, self.cursor)
                yield page
        finally:
            self._feed.unsubscribe(self._topic, subscription)
        if subscription.is_lagging:
            raise TooFarBehind

    async def _has(self, after: int | None) -> bool:
        """Return whether the stream can continue after a cursor, maybe of another lobby."""
        if after is None:
            return False
        if after > self._store.last_cursor:
            with suppress(StoreFailed):
                await self._store.group.reach(after)
        return self._store.retention.oldest_cursor(self._room) <= after <= self._store.last_cursor

    async def _replay(self, newest: int) -> Pages:
        while self.cursor < newest:
            if self.cursor < self._store.retention.oldest_cursor(
                self._room
            ):  # deleted in the meantime
                raise TooFarBehind
            rows = await self._store.committed(self.cursor, _PAGE, self._room)
            page = [event_stream.table_event(row) for row in rows if row.cursor <= newest]
            self.cursor = reached(page, self.cursor) if len(page) == _PAGE else newest
            if page:
                yield page

    async def _before_hand(self, room_id: str) -> int | None:
        """Return the cursor before the running hand; None if no hand is running."""
        while (room := self._store.room(room_id)) and (since := room.running_since) is not None:
            first = await self._store.cursor(room, *since)
            now = self._store.room(room_id)
            if now is not None and now.running_since == since:  # it has not ended meanwhile
                return None if first is None else first - 1
        return None

    def _present_room(self) -> Room | None:
        """Return the room as it is now: that of another lobby may be read anew, as another object.

        A room that was archived is returned as it was.
        """
        return self._room and (self._store.room(self._room.room_id) or self._room)

    def _snapshot(self, room: Room | None) -> Item:
        if room is None:
            return event_stream.lobby_snapshot(self._store.rooms(), self.cursor)
        snapshot = late_snapshot(room) if self._late else room_snapshot(room)
        return event_stream.room_snapshot(snapshot, self.cursor)


class HandDelay:
    """Delays one client's stream of a room, hand by hand."""

    def __init__(self, room: Room, records: HandRecordCache) -> None:
        self._room = room
        self._records = records
        self._hand_id: str | None = None
        self._held: list[Item] = []

    async def late(self, pages: Pages) -> Pages:
        """Yield the pages of a public stream, one hand late."""
        async with aclosing(pages):
            async for page in pages:
                delayed: list[Item] = []
                for item in page:
                    delayed += await self._add(item)
                if delayed:
                    yield delayed

    async def _add(self, item: Item) -> Sequence[Item]:
        """Take the next item of the public stream; returns the items that may be sent now."""
        event = item.event
        if item.is_news:
            return [item]
        if event is None:  # a snapshot or `room_closed`: the running hand will not end any more
            return [*self._without_record(Reason.ROOM_CLOSED), item]
        unfinished: Sequence[Item] = ()
        if event.event_type == "hand_started":
            unfinished = self._without_record(Reason.HAND_UNFINISHED)
        if self._hand_id is None:
            self._hand_id = _hand_of(event)
        if self._hand_id is None:
            return [*unfinished, item]
        self._held.append(item)
        if not _ends_hand(event):
            return unfinished
        record = await self._record(self._hand_id)
        return [*unfinished, record, *self._release()]

    async def _record(self, hand_id: str) -> Item:
        try:
            record = await self._records.record(self._room, hand_id)
        except CommandRefused as refusal:
            return event_stream.hand_record_missing(hand_id, refusal.reason)
        return event_stream.hand_record(record)

    def _without_record(self, reason: str) -> Sequence[Item]:
        """Release the held events of a hand that has no record."""
        if self._hand_id is None:
            return ()
        return [event_stream.hand_record_missing(self._hand_id, reason), *self._release()]

    def _release(self) -> Sequence[Item]:
        held, self._held, self._hand_id = self._held, [], None
        return held


def _hand_of(event: ReportedEvent) -> str | None:
    """None for `player_busted`, which is sent after the hand."""
    if event.event_type == "player_busted":
        return None
    match content_of_event(event):
        case HandStarted() | HandCompleted() as content if event.hand_id is None:
            return f"{event.table_id}/{content.hand_number}"
    return event.hand_id


def _ends_hand(event: ReportedEvent) -> bool:
    match content_of_event(event):
        case HandCompleted() | StatusChanged(kind="hand_cancelled"):
            return True
    return False
