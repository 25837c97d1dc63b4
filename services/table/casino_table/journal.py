"""The table's ordered log of facts: numbered once, published in order, kept until delivered.

This one is in memory. A durable one keeps the same promises across a crash.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import orjson
from casino_contracts import EventType, WireModel


class Fact(NamedTuple):
    """Something that has happened, fit for every eye; not yet numbered."""

    event_type: EventType
    message: str
    payload: WireModel
    hand_id: str | None = None


class Entry(NamedTuple):
    """A numbered fact as it goes to the lobby: the JSON of a TableEvent."""

    sequence: int
    content: bytes


class Journal(Protocol):
    """What session and publisher need of a log."""

    @property
    def last_sequence(self) -> int:
        """The number of the newest fact; 0 when there is none."""
        ...

    def append(self, facts: Sequence[Fact]) -> None:
        """Commit facts, in order; they are numbered and will be published."""
        ...

    def after(self, sequence: int, limit: int) -> list[Entry]:
        """Return the next entries to publish, at most `limit`."""
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
        self._entries: deque[Entry] = deque()
        self._first = 1  # the sequence of the oldest entry kept
        self._last = 0
        self._news = asyncio.Event()

    @property
    def last_sequence(self) -> int:
        """The number of the newest fact; 0 when there is none."""
        return self._last

    @property
    def undelivered(self) -> int:
        """How many events the lobby has not confirmed."""
        return len(self._entries)

    def append(self, facts: Sequence[Fact]) -> None:
        """Commit facts, in order; they are numbered and will be published."""
        timestamp = self._timestamp()
        for fact in facts:
            self._last += 1
            content: dict[str, Any] = {
                "tableId": self._table_id,
                "eventType": fact.event_type,
                "message": fact.message,
                "timestamp": timestamp,
                "payload": orjson.Fragment(fact.payload.wire()),
                "sequence": self._last,
                "epoch": self._epoch,
            }
            if fact.hand_id is not None:
                content["handId"] = fact.hand_id
            self._entries.append(Entry(self._last, orjson.dumps(content)))
        self._news.set()

    def after(self, sequence: int, limit: int) -> list[Entry]:
        """Return the next entries to publish, at most `limit`."""
        start = max(0, sequence + 1 - self._first)
        return [self._entries[i] for i in range(start, min(start + limit, len(self._entries)))]

    def delivered(self, sequence: int) -> None:
        """Forget what the lobby holds."""
        while self._entries and self._first <= sequence:
            self._entries.popleft()
            self._first += 1

    async def news(self, sequence: int) -> None:
        """Wait until there is an event after `sequence`."""
        while self._last <= sequence:
            self._news.clear()
            await self._news.wait()
