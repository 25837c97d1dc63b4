"""Store in memory, with the newest events of each room; its data ends with the process."""

import heapq
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain, islice

from casino_contracts import TableEvent, Unit
from typing_extensions import override

from casino_lobby.domain.deal_book import halves_of
from casino_lobby.domain.lobby_events import Committed, EventsCommitted, MessageBus
from casino_lobby.domain.reported_event import ReportedEvent, proved, read
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_fold import EndedHand, ended_hands, fold
from casino_lobby.domain.rooms_by_table import TablesInUse
from casino_lobby.store.lobby_store import (
    KeptRecords,
    LobbyGroup,
    NameOwners,
    NoGroup,
    NoNameOwners,
    Place,
    Store,
)
from casino_lobby.store.publications import MemoryPublications
from casino_lobby.store.stored_commands import MemoryCommands, StoredCommands
from casino_lobby.store.stored_hands import (
    EVERY_HAND,
    HandFilter,
    HandIndex,
    HandKey,
    IndexedHand,
    Rank,
    RankedKey,
    StoredDeal,
    StoredHand,
    StoredHands,
)
from casino_lobby.store.stored_rows import UnreadableRows


class EpochLog:
    """An epoch's newest events, indexed by sequence; as JSON, in a third of the memory."""

    def __init__(self) -> None:
        self._events: deque[bytes] = deque()
        self._cursors: deque[int] = deque()
        self._last = 0

    def __len__(self) -> int:
        return len(self._events)

    def append(self, cursor: int, content: bytes) -> None:
        self._events.append(content)
        self._cursors.append(cursor)
        self._last += 1

    def forget_oldest(self) -> int:
        self._events.popleft()
        return self._cursors.popleft()

    def cursor(self, sequence: int) -> int | None:
        """None if it is not stored."""
        index = sequence - (self._last - len(self._cursors) + 1)
        return self._cursors[index] if 0 <= index < len(self._cursors) else None

    def after(self, cursor: int) -> Iterator[tuple[int, bytes]]:
        for i in range(bisect_right(self._cursors, cursor), len(self._events)):
            yield self._cursors[i], self._events[i]

    @property
    def first(self) -> int:
        return self._last - len(self._events) + 1

    def between(self, after: int, limit: int) -> list[TableEvent]:
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

    def append(self, epoch: int, cursor: int, content: bytes) -> None:
        """Append an event of an epoch; deletes the oldest one above the limit."""
        self._epochs.setdefault(epoch, EpochLog()).append(cursor, content)
        self._count += 1
        if self._count > self._kept:
            self._forget_oldest()

    def complete(self, epoch: int, hands: Iterable[EndedHand]) -> None:
        """Index hands that recorded events have completed, if all their events are stored."""
        for hand in hands:
            if hand.number and self.cursor(epoch, hand.first_sequence or hand.sequence) is not None:
                self.hands.add(epoch, hand)

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
        if not self._epochs or not self._has_forgotten:
            return None
        epoch = next(iter(self._epochs))
        return Place(epoch, self._epochs[epoch].first)

    def between(self, epoch: int, after: int, limit: int) -> list[TableEvent]:
        log = self._epochs.get(epoch)
        return log.between(after, limit) if log else []

    def cursor(self, epoch: int, sequence: int) -> int | None:
        """None if it is not stored."""
        log = self._epochs.get(epoch)
        return log.cursor(sequence) if log else None

    def after(self, cursor: int) -> Iterator[tuple[int, bytes]]:
        return chain.from_iterable(log.after(cursor) for log in self._epochs.values())


class MemoryHands(StoredHands):
    """Hands of the rooms of a store in memory, by room id."""

    def __init__(self, logs: Mapping[str, RoomLog]) -> None:
        self._logs = logs

    @override
    async def page(
        self,
        room: Room,
        after: HandKey | None,
        limit: int,
        *,
        newest_first: bool = False,
        among: HandFilter = EVERY_HAND,
    ) -> list[StoredHand]:
        index = self._logs[room.room_id].hands
        entries = index.after(after, limit, newest_first=newest_first, among=among)
        return [self._completed(room, entry) for entry in entries]

    @override
    async def best(
        self,
        room: Room,
        after: RankedKey | None,
        limit: int,
        *,
        by: Rank,
        among: HandFilter = EVERY_HAND,
    ) -> list[StoredHand]:
        entries = self._logs[room.room_id].hands.best(after, limit, by=by, among=among)
        return [self._completed(room, entry) for entry in entries]

    @override
    async def find(self, room: Room, number: int, epoch: int | None = None) -> StoredHand | None:
        entry = self._logs[room.room_id].hands.find(number, epoch)
        return None if entry is None else self._completed(room, entry)

    @override
    async def deal(self, room: Room, block: str) -> StoredDeal | None:
        return self._logs[room.room_id].hands.deal(block)

    def _completed(self, room: Room, entry: IndexedHand) -> StoredHand:
        logs = self._logs[room.room_id]
        (completed,) = logs.between(entry.key.epoch, entry.last_sequence - 1, 1)
        return entry.with_end(completed)


class MemoryRetention(KeptRecords):
    """The newest events of rooms; archived ones are deleted. Cursors begin after `forgotten`."""

    def __init__(self, logs: Mapping[str, RoomLog], forgotten: int) -> None:
        self._logs = logs
        self.forgotten = forgotten
        """The newest cursor of all deleted events."""

    @override
    async def archived(self, room_id: str) -> Room | None:
        return None

    @override
    async def archived_rooms(self, after: str | None, limit: int) -> list[Room]:
        return []

    @override
    async def archived_ids(self, limit: int) -> list[str]:
        return []

    @override
    async def archived_among(self, room_ids: Sequence[str]) -> list[Room]:
        return []

    @override
    def oldest_cursor(self, room: Room | None = None) -> int:
        return self._logs[room.room_id].forgotten if room else self.forgotten

    @override
    async def kept_from(self, room: Room) -> Place | None:
        return self._logs[room.room_id].kept_from


class MemoryStore(Store):
    """All rooms, the newest `events_kept` events of each, and finished commands for a week.

    Cursors begin after `after`, so that those of an earlier process are not mistaken for new ones.
    """

    def __init__(self, events_kept: int, after: int = 0) -> None:
        self.bus = MessageBus()
        self.unreadable = UnreadableRows()
        """Always empty."""
        self.in_use = TablesInUse()
        self.published = MemoryPublications()
        self._events_kept = events_kept
        self._first = self._last_cursor = after
        self._rooms: dict[str, Room] = {}
        self._by_table: dict[str, Room] = {}
        self._logs: dict[str, RoomLog] = {}
        self.retention: MemoryRetention = MemoryRetention(self._logs, after)
        self.group: LobbyGroup = NoGroup(self.room)
        self.commands: StoredCommands = MemoryCommands(lambda: datetime.now(UTC))
        self.hands = MemoryHands(self._logs)
        self.names: NameOwners = NoNameOwners()

    @property
    @override
    def is_held(self) -> bool:
        return True

    @override
    async def claim(self) -> bool:
        return True

    @override
    async def open(self) -> None:
        pass

    @override
    async def close(self) -> None:
        pass

    # Rooms.

    @override
    def room(self, room_id: str) -> Room | None:
        return self._rooms.get(room_id)

    @override
    def room_of_table(self, table_id: str) -> Room | None:
        return self._by_table.get(table_id)

    @override
    def rooms(self) -> list[Room]:
        return list(self._rooms.values())

    @override
    async def add(self, room: Room) -> None:
        self._rooms[room.room_id] = room
        self._by_table[room.table_id] = room
        self.in_use.add(room)
        self._logs[room.room_id] = RoomLog(self._events_kept, self._first, room.unit)

    @override
    async def save(self, room: Room) -> None:
        pass

    @override
    async def remove(self, room: Room) -> None:
        del self._rooms[room.room_id], self._by_table[room.table_id]
        self.in_use.remove(room)
        del self._logs[room.room_id]

    @override
    async def archive(self, room: Room) -> None:
        events = self._logs[room.room_id].after(self.retention.forgotten)
        self.retention.forgotten = max(
            (cursor for cursor, _ in events), default=self.retention.forgotten
        )
        await self.remove(room)

    @override
    async def refuse_archived(self, room: Room) -> None:
        pass

    # Events.

    @override
    async def record(self, room: Room, events: Sequence[ReportedEvent]) -> None:
        logs = self._logs[room.room_id]
        contents = [proved(event) for event in events]
        committed = []
        for event, content in zip(events, contents, strict=True):
            self._last_cursor += 1
            logs.append(room.epoch, self._last_cursor, content)
            committed.append(Committed(self._last_cursor, room.room_id, event))
        logs.complete(room.epoch, ended_hands(room, events))
        logs.hands.add_halves(halves_of(room, events))
        fold(room, events)
        self.retention.forgotten = max(self.retention.forgotten, logs.forgotten)
        if committed:
            self.bus.publish(EventsCommitted(room, committed))

    @override
    async def events(
        self, room: Room, after: int, limit: int, epoch: int | None = None
    ) -> list[TableEvent]:
        return self._logs[room.room_id].between(epoch or room.epoch, after, limit)

    @property
    @override
    def last_cursor(self) -> int:
        return self._last_cursor

    @override
    async def committed(
        self, after: int, limit: int, room: Room | None = None
    ) -> Sequence[Committed]:
        room_ids = [room.room_id] if room else self._logs
        merged = heapq.merge(*(self._of(room_id, after) for room_id in room_ids))
        return [
            Committed(cursor, room_id, read(content))
            for cursor, room_id, content in islice(merged, limit)
        ]

    def _of(self, room_id: str, after: int) -> Iterator[tuple[int, str, bytes]]:
        log = self._logs[room_id].after(after)
        return ((cursor, room_id, content) for cursor, content in log)

    @override
    async def cursor(self, room: Room, epoch: int, sequence: int) -> int | None:
        return self._logs[room.room_id].cursor(epoch, sequence)
