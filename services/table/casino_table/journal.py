"""The table's ordered log of facts: numbered once, published in order, kept until delivered.

This one is in memory. A durable one keeps the same promises across a crash.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from casino_contracts import EventType, TableEvent, WireModel


@dataclass(frozen=True)
class Fact:
    """Something that has happened, fit for every eye; not yet numbered."""

    event_type: EventType
    message: str
    payload: WireModel
    hand_id: str | None = None


class Journal(Protocol):
    """What session and publisher need of a log."""

    @property
    def last_sequence(self) -> int:
        """The number of the newest fact; 0 when there is none."""
        ...

    def append(self, facts: Sequence[Fact]) -> None:
        """Commit facts, in order; they are numbered and will be published."""
        ...

    def after(self, sequence: int, limit: int) -> list[TableEvent]:
        """Return the next events to publish, at most `limit`."""
        ...

    def delivered(self, sequence: int) -> None:
        """Note that the lobby holds everything up to and including `sequence`."""
        ...

    @property
    def undelivered(self) -> int:
        """How many events the lobby has not confirmed."""
        ...

    async def news(self, sequence: int) -> None:
        """Wait until there is an event after `sequence`."""
        ...


class MemoryJournal:
    """A log that ends with its process; delivered events are forgotten."""

    def __init__(self, table_id: str, epoch: int, timestamp: Callable[[], str]) -> None:
        self._table_id = table_id
        self._epoch = epoch
        self._timestamp = timestamp
        self._events: deque[TableEvent] = deque()
        self._first = 1  # the sequence of the oldest event kept
        self._last = 0
        self._news = asyncio.Event()

    @property
    def last_sequence(self) -> int:
        """The number of the newest fact; 0 when there is none."""
        return self._last

    @property
    def undelivered(self) -> int:
        """How many events the lobby has not confirmed."""
        return len(self._events)

    def append(self, facts: Sequence[Fact]) -> None:
        """Commit facts, in order; they are numbered and will be published."""
        timestamp = self._timestamp()
        for fact in facts:
            self._last += 1
            self._events.append(
                TableEvent(
                    table_id=self._table_id,
                    event_type=fact.event_type,
                    message=fact.message,
                    timestamp=timestamp,
                    payload=fact.payload.model_dump(),
                    sequence=self._last,
                    epoch=self._epoch,
                    hand_id=fact.hand_id,
                )
            )
        self._news.set()

    def after(self, sequence: int, limit: int) -> list[TableEvent]:
        """Return the next events to publish, at most `limit`."""
        start = max(0, sequence + 1 - self._first)
        return [self._events[i] for i in range(start, min(start + limit, len(self._events)))]

    def delivered(self, sequence: int) -> None:
        """Forget what the lobby holds."""
        while self._events and self._first <= sequence:
            self._events.popleft()
            self._first += 1

    async def news(self, sequence: int) -> None:
        """Wait until there is an event after `sequence`."""
        while self._last <= sequence:
            self._news.clear()
            await self._news.wait()
