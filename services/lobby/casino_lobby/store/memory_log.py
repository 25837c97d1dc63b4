"""The newest events of a room in memory, by epoch."""

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from itertools import chain

from casino_contracts import TableEvent, Unit

from casino_lobby.domain.reported_event import ReportedEvent
from casino_lobby.store.hands.index import HandIndex
from casino_lobby.store.retention.place import Place
from casino_lobby.store.serialization import read


class EpochLog:
    """An epoch's newest events, indexed by sequence; as JSON, in a third of the memory."""

    def __init__(self) -> None:
        self._events: deque[bytes] = deque()
        self._cursors: deque[int] = deque()
        self._last = 0

    def __len__(self) -> int:
        return len(self._events)

    def append(self, cursor: int, content: bytes) -> None:
        """Append an event as JSON."""
        self._events.append(content)
        self._cursors.append(cursor)
        self._last += 1

    def forget_oldest(self) -> int:
        """Delete the oldest event; returns its cursor."""
        self._events.popleft()
        return self._cursors.popleft()

    def cursor(self, sequence: int) -> int | None:
        """Return the cursor of an event, None if it is not stored."""
        index = sequence - (self._last - len(self._cursors) + 1)
        return self._cursors[index] if 0 <= index < len(self._cursors) else None

    def after(self, cursor: int) -> Iterator[tuple[int, bytes]]:
        """Yield the events after a cursor, each with its cursor."""
        for i in range(bisect_right(self._cursors, cursor), len(self._events)):
            yield self._cursors[i], self._events[i]

    @property
    def first(self) -> int:
        """The sequence of the oldest stored event."""
        return self._last - len(self._events) + 1

    def between(self, after: int, limit: int) -> list[TableEvent]:
        """Return at most `limit` events after a sequence."""
        start = max(0, after + 1 - self.first)
        stop = min(start + limit, len(self._events))
        return [read(self._events[i]) for i in range(start, stop)]


class RoomLog:
    """A room's newest events, by epoch."""

    def __init__(self, kept: int, forgotten: int, unit: Unit) -> None:
        self.forgotten = forgotten
        self._kept = kept
        self._has_forgotten = False
        self._count = 0
        self._epochs: dict[int, EpochLog] = {}
        self.hands = HandIndex(unit)

    def append(self, epoch: int, cursor: int, event: ReportedEvent, content: bytes) -> None:
        """Append an event of an epoch; deletes the oldest one above the limit."""
        self._epochs.setdefault(epoch, EpochLog()).append(cursor, content)
        self.hands.note(epoch, event)
        self._count += 1
        if self._count > self._kept:
            self._forget_oldest()

    def _forget_oldest(self) -> None:
        self._has_forgotten = True
        oldest = next(iter(self._epochs))
        log = self._epochs[oldest]
        self.hands.forget(oldest, log.first)
        self.forgotten = log.forget_oldest()
        self._count -= 1
        if not self._epochs[oldest]:
            del self._epochs[oldest]

    @property
    def kept_from(self) -> Place | None:
        """The place of the oldest event if older ones are deleted."""
        if not self._epochs or not self._has_forgotten:
            return None
        epoch = next(iter(self._epochs))
        return Place(epoch, self._epochs[epoch].first)

    def between(self, epoch: int, after: int, limit: int) -> list[TableEvent]:
        """Return at most `limit` events of an epoch after a sequence."""
        log = self._epochs.get(epoch)
        return log.between(after, limit) if log else []

    def cursor(self, epoch: int, sequence: int) -> int | None:
        """Return the cursor of an event, None if it is not stored."""
        log = self._epochs.get(epoch)
        return log.cursor(sequence) if log else None

    def after(self, cursor: int) -> Iterator[tuple[int, bytes]]:
        """Yield the events after a cursor, each with its cursor."""
        return chain.from_iterable(log.after(cursor) for log in self._epochs.values())
