"""A store that ends with its process."""

from collections import deque
from collections.abc import Sequence

from casino_contracts import TableEvent

from casino_lobby.rooms import Room


class _Log:
    """A room's newest events, found by sequence; as JSON, which takes a third of the memory."""

    def __init__(self, kept: int) -> None:
        self._events: deque[str] = deque(maxlen=kept)
        self._last = 0

    def append(self, event: TableEvent) -> None:
        self._events.append(event.model_dump_json())
        self._last += 1

    def between(self, after: int, limit: int) -> list[TableEvent]:
        first = self._last - len(self._events) + 1
        start = max(0, after + 1 - first)
        stop = min(start + limit, len(self._events))
        return [TableEvent.model_validate_json(self._events[i]) for i in range(start, stop)]


class MemoryStore:
    """Rooms for ever, the newest events of each."""

    def __init__(self, events_kept: int) -> None:
        self._events_kept = events_kept
        self._rooms: dict[str, Room] = {}
        self._by_table: dict[str, Room] = {}
        self._logs: dict[str, _Log] = {}

    def add(self, room: Room) -> None:
        """Keep a new room."""
        self._rooms[room.room_id] = room
        self._by_table[room.table_id] = room
        self._logs[room.room_id] = _Log(self._events_kept)

    def remove(self, room: Room) -> None:
        """Forget a room that never opened."""
        del self._rooms[room.room_id], self._by_table[room.table_id], self._logs[room.room_id]

    def room(self, room_id: str) -> Room | None:
        """Return a room."""
        return self._rooms.get(room_id)

    def room_of_table(self, table_id: str) -> Room | None:
        """Return the room that a table plays for."""
        return self._by_table.get(table_id)

    def rooms(self) -> list[Room]:
        """Return all rooms, the oldest first."""
        return list(self._rooms.values())

    async def record(self, room: Room, events: Sequence[TableEvent]) -> None:
        """Append events and fold them into the room."""
        log = self._logs[room.room_id]
        for event in events:
            log.append(event)
            room.apply(event)

    async def events(self, room: Room, after: int, limit: int) -> list[TableEvent]:
        """Return the room's events after a sequence, at most `limit`."""
        return self._logs[room.room_id].between(after, limit)

    async def event(self, room: Room, sequence: int) -> TableEvent | None:
        """Return one event, None when it is not kept any more."""
        found = self._logs[room.room_id].between(sequence - 1, 1)
        return found[0] if found and found[0].sequence == sequence else None
