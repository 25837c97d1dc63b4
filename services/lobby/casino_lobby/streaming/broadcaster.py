"""Fan-out of what happens to whoever follows it: one bounded queue each; no HTTP in it.

Publishing is synchronous and waits for nobody. What is published is bytes already, made once and
shared by all; a queue holds references. Who is further behind than the bound loses the queue and
is told so when it comes back for more.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from typing import NamedTuple

from casino_contracts import TableEvent

LOBBY = ""
"""The topic of everything; any other is a room's id."""


class Item(NamedTuple):
    """Something to be sent."""

    data: bytes
    cursor: int | None = None
    """Where a client that has it goes on."""
    event: TableEvent | None = None
    """What it tells, where it tells an event."""


Pages = AsyncGenerator[Sequence[Item], None]
"""A stream: things that are sent together."""


def reached(items: Sequence[Item], before: int) -> int:
    """Return the cursor up to which these lead, `before` when they have none."""
    return next((item.cursor for item in reversed(items) if item.cursor is not None), before)


class Subscription:
    """One follower's queue; iterate with `take` until there is no more."""

    def __init__(self, behind: int) -> None:
        self.is_lagging = False
        """It was too far behind; its queue is gone."""
        self._behind = behind
        self._queue: deque[Item] = deque()
        self._is_over = False
        self._news = asyncio.Event()

    def put(self, item: Item) -> None:
        """Add something; what is over takes no more."""
        if self._is_over:
            return
        if len(self._queue) >= self._behind:
            self._queue.clear()
            self.is_lagging = self._is_over = True
        else:
            self._queue.append(item)
        self._news.set()

    def end(self) -> None:
        """Let it be over after what is in the queue."""
        self._is_over = True
        self._news.set()

    async def take(self, at_most: int) -> Sequence[Item]:
        """Return what is there, waiting for something; nothing when it is over."""
        while not self._queue and not self._is_over:
            self._news.clear()
            await self._news.wait()
        return [self._queue.popleft() for _ in range(min(at_most, len(self._queue)))]


class Broadcaster:
    """Who follows what; `behind` is the most that a queue holds."""

    def __init__(self, behind: int) -> None:
        self._behind = behind
        self._followers: dict[str, dict[Subscription, None]] = {}
        self._is_closed = False

    def subscribe(self, topic: str) -> Subscription:
        """Follow a topic from now on; of a closed feed there is nothing to follow."""
        subscription = Subscription(self._behind)
        if self._is_closed:
            subscription.end()
        else:
            self._followers.setdefault(topic, {})[subscription] = None
        return subscription

    def unsubscribe(self, topic: str, subscription: Subscription) -> None:
        """Follow no more."""
        followers = self._followers.get(topic, {})
        followers.pop(subscription, None)
        if not followers:
            self._followers.pop(topic, None)

    def is_followed(self, *topics: str) -> bool:
        """Tell whether anybody follows one of these."""
        return any(topic in self._followers for topic in topics)

    def publish(self, item: Item, *topics: str) -> None:
        """Put something into the queues of all who follow one of these."""
        for topic in topics:
            for subscription in self._followers.get(topic, ()):
                subscription.put(item)

    def end(self, topic: str) -> None:
        """Let a topic be over for those who follow it."""
        for subscription in self._followers.get(topic, ()):
            subscription.end()

    def close(self) -> None:
        """Let everything be over, also for those who come later."""
        self._is_closed = True
        for topic in self._followers:
            self.end(topic)
