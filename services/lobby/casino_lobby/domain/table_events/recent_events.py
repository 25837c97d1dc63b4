"""The newest events of a room, which its snapshots show. Pure."""

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from casino_contracts import TableEvent

from casino_lobby.domain.table_events.reported_event import DecodedEvent, ReportedEvent, model_of

RECENT_EVENTS: Final = 200
"""Maximum number of newest events in a snapshot."""
RECENT_BYTES: Final = 512 * 1024
"""Maximum size of them as JSON; an event has about 500 bytes, and at most 64 KiB."""


class RecentEvents:
    """At most `RECENT_EVENTS` events, the oldest first; a decoded one is kept as its JSON.

    That takes a sixth of the memory of its values, which a reader needs seldom. Of events that have
    more than `most_bytes` in all only the newest are kept, one at least.
    """

    def __init__(self, most_bytes: int = RECENT_BYTES) -> None:
        self._events: deque[bytes | TableEvent] = deque()
        self._most_bytes = most_bytes
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._events)

    def __iter__(self) -> Iterator[TableEvent]:
        return self.newest(RECENT_EVENTS)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RecentEvents) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # it changes

    def newest(self, count: int) -> Iterator[TableEvent]:
        """Yield at most so many newest events, the oldest of them first."""
        for event in islice(self._events, max(0, len(self._events) - count), None):
            yield event if isinstance(event, TableEvent) else TableEvent.model_validate_json(event)

    def append(self, event: ReportedEvent) -> None:
        """Add the newest event."""
        newest = event.content if isinstance(event, DecodedEvent) else model_of(event)
        self._events.append(newest)
        self._bytes += _size(newest)
        while len(self._events) > 1 and (
            len(self._events) > RECENT_EVENTS or self._bytes > self._most_bytes
        ):
            self._bytes -= _size(self._events.popleft())

    def extend(self, events: Iterable[ReportedEvent]) -> None:
        """Add newer events."""
        for event in events:
            self.append(event)

    def clear(self) -> None:
        """Forget all events."""
        self._events.clear()
        self._bytes = 0


def _size(event: bytes | TableEvent) -> int:
    return len(event if isinstance(event, bytes) else event.wire())
