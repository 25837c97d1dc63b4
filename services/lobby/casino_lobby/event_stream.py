"""What streams send: server-sent events, and their broadcast to one bounded queue per subscriber.

Publishing is synchronous and never waits. Items hold serialised bytes that all queues share. A
subscriber whose queue is full is marked as lagging: its queue is cleared and its subscription ends.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Iterable, Sequence
from typing import NamedTuple

import orjson
from casino_contracts import (
    HandRecord,
    HandRecordMissing,
    Lagged,
    LobbyStreamSnapshot,
    RoomSnapshot,
    RoomStreamSnapshot,
    StreamedRoom,
    StreamedWaits,
    Waiting,
    WireModel,
)

from casino_lobby.domain.lobby_events import Committed, EventsCommitted, EventsMissed, RoomChanged
from casino_lobby.domain.reported_event import ReportedEvent
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_views import public_json, room_summary

LOBBY = ""
"""The topic of the whole lobby; every other topic is a room id."""


class Item(NamedTuple):
    """One serialised server-sent event."""

    data: bytes
    cursor: int | None = None
    """The cursor to resume after; None if the frame has none."""
    event: ReportedEvent | None = None
    """The table event in the frame; None in other frames."""
    is_news: bool = False
    """Whether it is about no hand, so that it waits for none."""


Pages = AsyncGenerator[Sequence[Item], None]
"""A stream in pages; the items of a page are sent together."""


def reached(items: Sequence[Item], before: int) -> int:
    """Return the last cursor of the items, `before` if they have none."""
    for item in reversed(items):
        if item.cursor is not None:
            return item.cursor
    return before


def table_event(committed: Committed) -> Item:
    """Without hidden cards."""
    cursor, room_id, event = committed
    data = b'{"cursor":%d,"roomId":%b,"event":%b}' % (
        cursor,
        orjson.dumps(room_id),
        public_json(event),
    )
    return Item(_frame("table_event", data, cursor), cursor, event)


def room_snapshot(room: RoomSnapshot, cursor: int) -> Item:
    snapshot = RoomStreamSnapshot(cursor=cursor, room=room)
    return Item(_frame("snapshot", snapshot, cursor), cursor)


def lobby_snapshot(rooms: Iterable[Room], cursor: int) -> Item:
    summaries = tuple(room_summary(room) for room in rooms)
    snapshot = LobbyStreamSnapshot(cursor=cursor, rooms=summaries)
    return Item(_frame("snapshot", snapshot, cursor), cursor)


def room_opened(room: Room) -> Item:
    return Item(_frame("room_opened", StreamedRoom(room=room_summary(room))))


def room_waits(room: Room) -> Item:
    waits = StreamedWaits(room_id=room.room_id, waits=room.waits.published() or ())
    return Item(_frame("room_waits", waits), is_news=True)


def room_closed(room: Room) -> Item:
    return Item(_frame("room_closed", StreamedRoom(room=room_summary(room))))


def hand_record(record: HandRecord) -> Item:
    return Item(_frame("hand_record", record))


def hand_record_missing(hand_id: str, reason: str) -> Item:
    return Item(_frame("hand_record_missing", HandRecordMissing(hand_id=hand_id, reason=reason)))


def lagged(cursor: int) -> Item:
    """Make the last frame before the client is disconnected."""
    message = f"The client is too far behind; reconnect with Last-Event-ID {cursor} to resume."
    return Item(_frame("lagged", Lagged(cursor=cursor, message=message)))


def _frame(name: str, data: WireModel | bytes, cursor: int | None = None) -> bytes:
    """Return one frame; compact JSON has no line breaks, so `data` is one line."""
    id_line = b"" if cursor is None else b"id: %d\n" % cursor
    content = data if isinstance(data, bytes) else data.wire()
    return b"%sevent: %s\ndata: %s\n\n" % (id_line, name.encode(), content)


class Subscription:
    """One subscriber's queue; call `take` until it returns no items.

    `max_queued` is the number of items at which it lags.
    """

    def __init__(self, max_queued: int) -> None:
        self.is_lagging = False
        """Whether the queue was cleared: it overflowed, or events are missing."""
        self._max_queued = max_queued
        self._queue: deque[Item] = deque()
        self._is_ended = False
        self._changed = asyncio.Event()

    def put(self, item: Item) -> None:
        """Ignored once the subscription has ended."""
        if self._is_ended:
            return
        if len(self._queue) >= self._max_queued:
            self.lag()
        else:
            self._queue.append(item)
            self._changed.set()

    def lag(self) -> None:
        """End the subscription at once, because it would have a gap."""
        if not self._is_ended:
            self._queue.clear()
            self.is_lagging = self._is_ended = True
            self._changed.set()

    def end(self) -> None:
        self._is_ended = True
        self._changed.set()

    async def take(self, at_most: int) -> Sequence[Item]:
        """Wait for items and return up to `at_most` of them; none once it has ended."""
        while not self._queue and not self._is_ended:
            self._changed.clear()
            await self._changed.wait()
        return [self._queue.popleft() for _ in range(min(at_most, len(self._queue)))]


class Broadcaster:
    """Maps topics to subscriptions; `behind` is the capacity of each queue."""

    def __init__(self, behind: int) -> None:
        self._behind = behind
        self._subscriptions: dict[str, dict[Subscription, None]] = {}
        self._is_closed = False

    def subscribe(self, topic: str) -> Subscription:
        """Subscribe to future items; already ended if the broadcaster is closed."""
        subscription = Subscription(self._behind)
        if self._is_closed:
            subscription.end()
        else:
            self._subscriptions.setdefault(topic, {})[subscription] = None
        return subscription

    def unsubscribe(self, topic: str, subscription: Subscription) -> None:
        subscriptions = self._subscriptions.get(topic, {})
        subscriptions.pop(subscription, None)
        if not subscriptions:
            self._subscriptions.pop(topic, None)

    def is_followed(self, *topics: str) -> bool:
        return not self._subscriptions.keys().isdisjoint(topics)

    def publish(self, item: Item, *topics: str) -> None:
        for topic in topics:
            for subscription in self._subscriptions.get(topic, ()):
                subscription.put(item)

    def end(self, topic: str) -> None:
        for subscription in self._subscriptions.get(topic, ()):
            subscription.end()

    def end_all(self) -> None:
        """End all subscriptions; later ones are not affected."""
        for topic in self._subscriptions:
            self.end(topic)

    def lag_all(self) -> None:
        """End all subscriptions at once as lagging; later ones are not affected."""
        for subscriptions in self._subscriptions.values():
            for subscription in subscriptions:
                subscription.lag()

    def close(self) -> None:
        """End all subscriptions, and every later one at once."""
        self._is_closed = True
        self.end_all()


class EventBroadcaster:
    """Passes lobby events on to the streams."""

    def __init__(self, feed: Broadcaster) -> None:
        self._feed = feed
        self._waits: dict[str, tuple[Waiting, ...]] = {}
        """What the streams of rooms know of their waits, by room id."""

    def publish_events(self, event: EventsCommitted) -> None:
        """Publish committed events of a room to its topic and to the lobby."""
        room_id = event.room.room_id
        if self._feed.is_followed(room_id, LOBBY):
            for row in event.committed:
                self._feed.publish(table_event(row), room_id, LOBBY)

    def miss_events(self, _event: EventsMissed) -> None:
        """End every stream: its client has to begin again, because it would have a gap."""
        self._feed.lag_all()

    def publish_room(self, event: RoomChanged) -> None:
        """Publish that a room opened or closed; ends its topic unless it is open."""
        room = event.room
        if room.phase == "open":
            self._feed.publish(room_opened(room), LOBBY)
            if room.waits.items != self._waits.pop(room.room_id, ()):
                self._feed.publish(room_waits(room), room.room_id)
            if room.waits.items:
                self._waits[room.room_id] = room.waits.items
        elif room.is_over:
            self._feed.publish(room_closed(room), room.room_id, LOBBY)
        if room.phase != "open":
            self._waits.pop(room.room_id, None)
            self._feed.end(room.room_id)
