"""Parts of a seat: what it shares with the others, its listeners, and whether somebody is there."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from casino_seats.clock import Clock, Timer
from casino_seats.turns import Answer

from casino_gateway.domain.updates import Answered, Expired, HandOver, SeatClosed, Update
from casino_gateway.errors import ListenerLagged
from casino_gateway.metrics import GatewayMetrics

LAST_RESULT_S = 1.0
"""The table tells a hand's result beside its events, which may be faster."""
QUEUE_LIMIT = 1_000
"""Updates that a listener may be behind; room events are shared by all queues."""
ABSENT_HANDS = 3
"""After so many hands without the person whose connection was lost, the seat is given back."""
HELD_S = 0.3
"""How long listeners hear of a question later, so that the last hand's result comes first."""
Backlog = Callable[[], Awaitable[Sequence[Update]]]


class AnswerStore(Protocol):
    """Keeps turns and answers over a restart."""

    async def opened(self, seat_id: str, request_id: str, turn: int) -> None: ...

    async def answered(self, seat_id: str, answer: Answer) -> None: ...


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class SeatParts:
    """What the seats of a process share."""

    store: AnswerStore
    clock: Clock
    metrics: GatewayMetrics
    presence_s: float
    """How long after a message somebody counts as there."""
    model_presence_s: float
    """The same of a language model, which thinks longer."""
    reserve_s: float
    """Time kept for an answer's way to the table."""
    default_of: Callable[[str, str], str | None] = lambda _game_type, _version: None
    """The `defaultTimeoutAction` of a game's specification, if it is known."""
    on_close: Callable[[Any], None] = lambda _seat: None
    """Called once when a seat is given back."""
    on_absent: Callable[[Any], None] = lambda _seat: None
    """Called after each `ABSENT_HANDS` hands without the person."""
    wall: Callable[[], datetime] = _now

    @property
    def last_result_at(self) -> float:
        """Until when the result of a seat's last hand may come."""
        return self.clock.now() + LAST_RESULT_S


class Presence:
    """Somebody is there while connected, and for a time after each message, and after the start.

    `on_lost` is called when that time after the last connection is over.
    """

    def __init__(
        self, clock: Clock, metrics: GatewayMetrics, lasts_s: float, on_lost: Callable[[], None]
    ) -> None:
        self.sits_out = False
        """Whether the owner wishes to be played by default."""
        self.connections = 0
        self.is_lost = False
        """Whether somebody was connected, and nobody has been there for the time since."""
        self._clock = clock
        self._metrics = metrics
        self._lasts_s = lasts_s
        self._on_lost = on_lost
        self._there_until = clock.now() + lasts_s
        self._losing: Timer | None = None

    @property
    def is_there(self) -> bool:
        return self.connections > 0 or self._clock.now() < self._there_until

    @property
    def decides(self) -> bool:
        """Whether questions are put to somebody, instead of being answered by default."""
        return self.is_there and not self.sits_out

    def touch(self) -> None:
        self._there_until = self._clock.now() + self._lasts_s
        self.sits_out = self.is_lost = False

    @contextmanager
    def connected(self) -> Iterator[None]:
        self.touch()
        self.connections += 1
        self.forget()
        self._metrics.sockets.inc()
        try:
            yield
        finally:
            self._metrics.sockets.dec()
            self.connections -= 1
            self._there_until = self._clock.now() + self._lasts_s
            if not self.connections:
                self._lose()

    def forget(self) -> None:
        """Wait for the end of the time no more."""
        if self._losing is not None:
            self._losing.cancel()
            self._losing = None

    def _lose(self) -> None:
        """Call `on_lost` when the time since the last message is over, unless somebody connects."""
        self._losing = None
        if self.is_there:
            self._losing = self._clock.at(self._there_until, self._lose)
        else:
            self.is_lost = True
            self._on_lost()


class SeatListener:
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
        """Yield updates until the seat is closed. Raises ListenerLagged, and as `backlog`."""
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
                raise ListenerLagged(f"more than {QUEUE_LIMIT} updates behind")
            self._wake.clear()
            await self._wake.wait()


class Listeners:
    """All listeners of one seat."""

    def __init__(self) -> None:
        self._all: set[SeatListener] = set()
        self._held: Update | None = None

    def __len__(self) -> int:
        return len(self._all)

    def add(self, listener: SeatListener) -> None:
        self._all.add(listener)

    def remove(self, listener: SeatListener) -> None:
        self._all.discard(listener)

    def tell(self, update: Update) -> None:
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
        held, self._held = self._held, None
        if held is not None:
            self._put(held)

    def _put(self, update: Update) -> None:
        for listener in self._all:
            listener.put(update)
