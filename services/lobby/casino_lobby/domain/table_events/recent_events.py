"""The newest events of a room, which its snapshots show. Pure."""

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from casino_contracts import TableEvent

from casino_lobby.domain.table_events.reported_event import DecodedEvent, ReportedEvent, model_of

RECENT_EVENTS: Final = 200
"""Maximum number of newest events in a snapshot."""


class RecentEvents:
    """At most `RECENT_EVENTS` events, the oldest first; a decoded one is kept as its JSON.

    That takes a sixth of the memory of its values, which a reader needs seldom.
    """

    def __init__(self) -> None:
        self._events: deque[bytes | TableEvent] = deque(maxlen=RECENT_EVENTS)

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
        self._events.append(event.content if isinstance(event, DecodedEvent) else model_of(event))

    def extend(self, events: Iterable[ReportedEvent]) -> None:
        """Add newer events."""
        for event in events:
            self.append(event)

    def clear(self) -> None:
        """Forget all events."""
        self._events.clear()
