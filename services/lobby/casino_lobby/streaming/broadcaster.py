"""Broadcasts items to subscribers of a topic, with one bounded queue per subscriber.

Publishing is synchronous and never waits. Items hold serialised bytes that all queues share. A
subscriber whose queue is full is marked as lagging: its queue is cleared and its subscription ends.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from typing import NamedTuple

from casino_lobby.domain.reported_event import ReportedEvent

LOBBY = ""
"""The topic of the whole lobby; every other topic is a room id."""


class Item(NamedTuple):
    """One serialised server-sent event."""

    data: bytes
    cursor: int | None = None
    """The cursor to resume after; None if the frame has none."""
    event: ReportedEvent | None = None
    """The table event in the frame; None in other frames."""


Pages = AsyncGenerator[Sequence[Item], None]
"""A stream in pages; the items of a page are sent together."""


def reached(items: Sequence[Item], before: int) -> int:
    """Return the last cursor of the items, `before` if they have none."""
    return next((item.cursor for item in reversed(items) if item.cursor is not None), before)


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
        return any(topic in self._subscriptions for topic in topics)

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
