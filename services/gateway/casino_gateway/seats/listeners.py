"""Listeners of a seat: each has a queue of bounded length of its own."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from casino_seats.clock import Clock

from casino_gateway.domain.updates import Answered, Expired, HandOver, SeatClosed, Update
from casino_gateway.errors import Lagged

QUEUE_LIMIT = 1_000
"""Updates that a listener may be behind; room events are shared by all queues."""

HELD_S = 0.3
"""How long listeners hear of a question later, so that the last hand's result comes first."""

Backlog = Callable[[], Awaitable[Sequence[Update]]]


class Listener:
    """One listener: `first` are known at once, those of `backlog` come before all others."""

    def __init__(self, first: Sequence[Update], backlog: Backlog | None = None) -> None:
        self._backlog = backlog
        self._queue: deque[Update] = deque(first)
        self._wake = asyncio.Event()
        self._is_lagging = False

    def put(self, update: Update) -> None:
        """Queue an update; a listener that is too far behind gets no more."""
        if self._is_lagging:
            return
        if len(self._queue) >= QUEUE_LIMIT:
            self._is_lagging = True
            self._queue.clear()
        else:
            self._queue.append(update)
        self._wake.set()

    async def updates(self) -> AsyncIterator[Update]:
        """Yield updates in order, until the seat is closed; raises Lagged, and as `backlog`."""
        if self._backlog is not None:
            for update in await self._backlog():
                yield update
        while True:
            while self._queue:
                update = self._queue.popleft()
                yield update
                if isinstance(update, SeatClosed):
                    return
            if self._is_lagging:
                raise Lagged(f"more than {QUEUE_LIMIT} updates behind")
            self._wake.clear()
            await self._wake.wait()


class Listeners:
    """All listeners of one seat."""

    def __init__(self) -> None:
        self._all: set[Listener] = set()
        self._held: Update | None = None

    def __len__(self) -> int:
        return len(self._all)

    def add(self, listener: Listener) -> None:
        """Give a listener all updates from now on."""
        self._all.add(listener)

    def remove(self, listener: Listener) -> None:
        """Give a listener no more updates."""
        self._all.discard(listener)

    def tell(self, update: Update) -> None:
        """Tell every listener; what is held comes after a hand's result."""
        if isinstance(update, Answered | Expired | SeatClosed):
            self.release()
        self._put(update)
        if isinstance(update, HandOver):
            self.release()

    def hold(self, update: Update, clock: Clock) -> None:
        """Keep a question until the result of the last hand has come, but not for long."""
        self.release()
        self._held = update
        clock.at(clock.now() + HELD_S, self.release)

    def release(self) -> None:
        """Tell every listener the update that is held, if there is one."""
        held, self._held = self._held, None
        if held is not None:
            self._put(held)

    def _put(self, update: Update) -> None:
        for listener in self._all:
            listener.put(update)
