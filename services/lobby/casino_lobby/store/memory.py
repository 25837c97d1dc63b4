"""A store that ends with its process."""

import heapq
from bisect import bisect_right
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain, islice

from casino_contracts import TableEvent

from casino_lobby.domain.room import Room
from casino_lobby.store.base import Command, Committed, Listener
from casino_lobby.store.commands import KEPT
from casino_lobby.store.hands import HandIndex, HandKey, IndexedHand, StoredHand
from casino_lobby.store.ledger import Ledger
from casino_lobby.store.loading import fold
from casino_lobby.store.serialization import Writing, proved, read
from casino_lobby.store.unreadable import UnreadableRows

_COMMANDS_KEPT = 10_000
"""Finished ones; an answer may hold a room with its newest events."""


class _Log:
    """An epoch's newest events, found by sequence; as JSON, which takes a third of the memory."""

    def __init__(self) -> None:
        self._events: deque[str] = deque()
        self._cursors: deque[int] = deque()
        self._last = 0

    def __len__(self) -> int:
        return len(self._events)

    def append(self, cursor: int, content: str) -> None:
        self._events.append(content)
        self._cursors.append(cursor)
        self._last += 1

    def forget_oldest(self) -> int:
        self._events.popleft()
        return self._cursors.popleft()

    def cursor(self, sequence: int) -> int | None:
        place = sequence - (self._last - len(self._cursors) + 1)
        return self._cursors[place] if 0 <= place < len(self._cursors) else None

    def after(self, cursor: int) -> Iterator[tuple[int, str]]:
        for i in range(bisect_right(self._cursors, cursor), len(self._events)):
            yield self._cursors[i], self._events[i]

    @property
    def first(self) -> int:
        """The sequence of the oldest event that is kept."""
        return self._last - len(self._events) + 1

    def between(self, after: int, limit: int) -> list[TableEvent]:
        start = max(0, after + 1 - self.first)
        stop = min(start + limit, len(self._events))
        return [read(self._events[i]) for i in range(start, stop)]


class _Logs:
    """A room's newest events, epoch by epoch."""

    def __init__(self, kept: int, forgotten: int) -> None:
        self.forgotten = forgotten
        self._kept = kept
        self._count = 0
        self._epochs: dict[int, _Log] = {}
        self.hands = HandIndex()

    def append(self, epoch: int, cursor: int, event: TableEvent, content: str) -> None:
        self._epochs.setdefault(epoch, _Log()).append(cursor, content)
        self.hands.note(epoch, event)
        self._count += 1
        if self._count > self._kept:
            self._forget_oldest()

    def _forget_oldest(self) -> None:
        oldest = next(iter(self._epochs))
        log = self._epochs[oldest]
        self.hands.forget(oldest, log.first)
        self.forgotten = log.forget_oldest()
        self._count -= 1
        if not self._epochs[oldest]:
            del self._epochs[oldest]

    def between(self, epoch: int, after: int, limit: int) -> list[TableEvent]:
        log = self._epochs.get(epoch)
        return log.between(after, limit) if log else []

    def cursor(self, epoch: int, sequence: int) -> int | None:
        log = self._epochs.get(epoch)
        return log.cursor(sequence) if log else None

    def after(self, cursor: int) -> Iterator[tuple[int, str]]:
        return chain.from_iterable(log.after(cursor) for log in self._epochs.values())


class MemoryStore:
    """Rooms for ever, the newest events of each room, finished commands for a week.

    Cursors begin after `after`: one of the process before this one must not be taken for ours.
    `write` returns what is kept of an event, `now` is the wall clock.
    """

    def __init__(
        self,
        events_kept: int,
        after: int = 0,
        *,
        write: Writing = proved,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.unreadable = UnreadableRows()
        """None ever: there are no rows."""
        self._write = write
        self._now = now
        self._events_kept = events_kept
        self._first = self._last_cursor = after
        self._forgotten = after
        self._listeners: list[Listener] = []
        self._rooms: dict[str, Room] = {}
        self._by_table: dict[str, Room] = {}
        self._logs: dict[str, _Logs] = {}
        self._ledgers: dict[str, Ledger] = {}
        self._commands: dict[str, Command] = {}
        self._finished: OrderedDict[str, datetime] = OrderedDict()

    async def open(self) -> None:
        """Nothing is to be made ready."""

    async def close(self) -> None:
        """Nothing is held."""

    # Rooms.

    def room(self, room_id: str) -> Room | None:
        """Return a room."""
        return self._rooms.get(room_id)

    def room_of_table(self, table_id: str) -> Room | None:
        """Return the room that a table plays for."""
        return self._by_table.get(table_id)

    def rooms(self) -> list[Room]:
        """Return all rooms, the oldest first."""
        return list(self._rooms.values())

    async def add(self, room: Room) -> None:
        """Keep a new room."""
        self._rooms[room.room_id] = room
        self._by_table[room.table_id] = room
        self._logs[room.room_id] = _Logs(self._events_kept, self._first)
        self._ledgers[room.room_id] = Ledger({})

    async def save(self, room: Room) -> None:
        """Do nothing: the room is what is kept."""

    async def remove(self, room: Room) -> None:
        """Forget a room that never opened."""
        del self._rooms[room.room_id], self._by_table[room.table_id]
        del self._logs[room.room_id], self._ledgers[room.room_id]

    async def archive(self, room: Room) -> None:
        """Forget a room that is over: nothing outlasts this process anyway."""
        events = self._logs[room.room_id].after(self._forgotten)
        self._forgotten = max((cursor for cursor, _ in events), default=self._forgotten)
        await self.remove(room)

    async def refuse_archived(self, room: Room) -> None:
        """Do nothing: what is gone is gone."""

    # Events.

    async def record(self, room: Room, events: Sequence[TableEvent]) -> None:
        """Append events and fold them into the room: all or none. Raises CommandRefused."""
        logs, ledger = self._logs[room.room_id], self._ledgers[room.room_id]
        contents = [self._write(event) for event in events]
        committed = []
        for event, content in zip(events, contents, strict=True):
            self._last_cursor += 1
            logs.append(room.epoch, self._last_cursor, event, content)
            ledger.book(event, room.unit)
            committed.append(Committed(self._last_cursor, room.room_id, event))
        fold(room, events)
        self._forgotten = max(self._forgotten, logs.forgotten)
        for listener in self._listeners if committed else ():
            listener(room, committed)

    async def events(
        self, room: Room, after: int, limit: int, epoch: int | None = None
    ) -> list[TableEvent]:
        """Return the room's events after a sequence, at most `limit`; of its epoch by default."""
        return self._logs[room.room_id].between(epoch or room.epoch, after, limit)

    async def event(self, room: Room, sequence: int) -> TableEvent | None:
        """Return one event of the room's epoch, None when it is not kept any more."""
        found = self._logs[room.room_id].between(room.epoch, sequence - 1, 1)
        return found[0] if found and found[0].sequence == sequence else None

    @property
    def last_cursor(self) -> int:
        """The newest cursor."""
        return self._last_cursor

    def oldest_cursor(self, room: Room | None = None) -> int:
        """Return the smallest cursor after which no event is missing, of a room or of all."""
        return self._logs[room.room_id].forgotten if room else self._forgotten

    async def committed(
        self, after: int, limit: int, room: Room | None = None
    ) -> Sequence[Committed]:
        """Return events after a cursor in its order, at most `limit`; of a room, or of all."""
        room_ids = [room.room_id] if room else self._logs
        found = heapq.merge(*(self._of(room_id, after) for room_id in room_ids))
        return [
            Committed(cursor, room_id, read(told)) for cursor, room_id, told in islice(found, limit)
        ]

    def _of(self, room_id: str, after: int) -> Iterator[tuple[int, str, str]]:
        return ((cursor, room_id, told) for cursor, told in self._logs[room_id].after(after))

    async def cursor(self, room: Room, epoch: int, sequence: int) -> int | None:
        """Return an event's cursor, None when it is not kept any more."""
        return self._logs[room.room_id].cursor(epoch, sequence)

    def listen(self, listener: Listener) -> None:
        """Tell somebody of every batch."""
        self._listeners.append(listener)

    async def balances(self, room_id: str) -> dict[str, int]:
        """Return the chips of every account of a room that is not empty; they sum to 0."""
        ledger = self._ledgers.get(room_id)
        return ledger.balances if ledger else {}

    async def hands(
        self, room: Room, after: HandKey | None, limit: int, *, newest_first: bool = False
    ) -> list[StoredHand]:
        """Return the room's completed hands that follow on one, while they are kept."""
        index = self._logs[room.room_id].hands
        found = index.after(after, limit, newest_first=newest_first)
        return [self._completed(room, one) for one in found]

    async def hand(self, room: Room, number: int, epoch: int | None = None) -> StoredHand | None:
        """Return one completed hand, of the newest epoch that has it by default."""
        found = self._logs[room.room_id].hands.find(number, epoch)
        return None if found is None else self._completed(room, found)

    def _completed(self, room: Room, one: IndexedHand) -> StoredHand:
        logs = self._logs[room.room_id]
        (completed,) = logs.between(one.key.epoch, one.last_sequence - 1, 1)
        return StoredHand(one.key, one.first_sequence, completed)

    # Names.

    async def name_owners(self) -> dict[str, str]:
        """Return nothing: there was no process before this one."""
        return {}

    async def own_name(self, name_key: str, signer: str) -> None:
        """Do nothing: the lobby knows it, and nobody comes after it."""

    # Commands.

    async def intend(self, command: Command) -> Command:
        """Keep a new command, or return the one that is known by its key."""
        self._forget_old_commands()
        return self._commands.setdefault(command.key, command)

    async def note(self, key: str, notes: Mapping[str, str]) -> None:
        """Add to a command's notes."""
        known = self._commands[key]
        self._commands[key] = replace(known, notes={**known.notes, **notes})

    async def finish(self, key: str, answer: str) -> None:
        """Keep a command's answer."""
        self._commands[key] = replace(self._commands[key], answer=answer)
        self._finished[key] = self._now()

    async def drop(self, key: str) -> None:
        """Forget a command that was refused: it may be sent again."""
        self._commands.pop(key, None)
        self._finished.pop(key, None)

    async def pending(self) -> list[Command]:
        """Return the commands without an answer, the oldest first."""
        return [command for command in self._commands.values() if command.answer is None]

    def _forget_old_commands(self) -> None:
        since = self._now() - KEPT
        while self._finished:
            key, finished = next(iter(self._finished.items()))
            if finished >= since and len(self._finished) <= _COMMANDS_KEPT:
                return
            del self._finished[key]
            self._commands.pop(key, None)
