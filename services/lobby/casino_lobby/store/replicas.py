"""Publishes the commits of a group in one order, and applies them to the rooms in memory.

Every commit has numbers that follow those of the commit before it. A member has its own commits at
once, and reads those of the others; each number is published once, in order.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.domain.lobby_events import (
    Committed,
    EventsCommitted,
    MessageBus,
    NamesOwned,
    RoomArchived,
    RoomChanged,
    RoomsTaken,
)
from casino_lobby.domain.reported_event import ReportedEvent
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_fold import Lost, fold
from casino_lobby.store import projection
from casino_lobby.store.commit_follower import EVENT, NAME, ROOM, Entry, Page
from casino_lobby.store.room_index import RoomIndex
from casino_lobby.store.stored_rows import UnreadableRows, read_row

ItemT = TypeVar("ItemT")


class Ordering(Generic[ItemT]):
    """Holds own commits back until everything before them has been read.

    >>> ordering = Ordering[str](7)
    >>> ordering.commit(7, ["own"])
    [(8, 'own')]
    >>> ordering.commit(9, ["early"]), ordering.has_gap
    ([], True)
    >>> ordering.follow(9, [(9, "another lobby's")])
    [(9, "another lobby's"), (10, 'early')]
    """

    def __init__(self, position: int = 0) -> None:
        self.position = position
        """The last number that was published."""
        self._own: dict[int, ItemT] = {}

    @property
    def has_gap(self) -> bool:
        """Whether an own commit waits for what was committed before it."""
        return bool(self._own)

    def is_own(self, number: int) -> bool:
        """Return whether a number is that of an own commit which waits."""
        return number in self._own

    def commit(self, after: int, items: Iterable[ItemT]) -> Sequence[tuple[int, ItemT]]:
        """Take an own commit; return what is to be published now, without what was read before."""
        for number, item in enumerate(items, after + 1):
            if number > self.position:
                self._own[number] = item
        return self._continue()

    def follow(self, upto: int, items: Iterable[tuple[int, ItemT]]) -> Sequence[tuple[int, ItemT]]:
        """Take what was read, everything up to a number in order; return what is to be published.

        A number may have several items, or none if what had it has been deleted. An own commit that
        waits is published instead of what was read of it.
        """
        own = [number for number in self._own if number <= upto]
        ready = [
            (number, item)
            for number, item in items
            if self.position < number <= upto and number not in self._own
        ]
        if own:
            ready += [(number, self._own.pop(number)) for number in own]
            ready.sort(key=_number)
        self.position = max(self.position, upto)
        return [*ready, *self._continue()]

    def _continue(self) -> list[tuple[int, ItemT]]:
        ready = []
        while self.position + 1 in self._own:
            self.position += 1
            ready.append((self.position, self._own.pop(self.position)))
        return ready


def _number(entry: tuple[int, object]) -> int:
    return entry[0]


class OwnEvent(NamedTuple):
    """An event that this lobby recorded, and its epoch."""

    room_id: str
    epoch: int
    event: ReportedEvent


class OwnChange(NamedTuple):
    """A change by this lobby, which its memory has already; `dropped` is a room that ended."""

    dropped: str | None = None


class ReadEvent(NamedTuple):
    """An event that was read from the database; None if it is unreadable."""

    entry: Entry
    event: ReportedEvent | None


class ReadRoom(NamedTuple):
    """A room that was read; None if it is unreadable. Without `has_recent` the old ones count."""

    entry: Entry
    room: Room | None
    has_recent: bool


Item = OwnEvent | OwnChange | ReadEvent | ReadRoom | Entry


class Replicas:
    """Keeps the rooms of a book equal to what the group has committed.

    Publishes `EventsCommitted`, `RoomChanged` and `RoomArchived` of other lobbies' rooms,
    `NamesOwned`, and `RoomsTaken` for rooms that have become this lobby's.
    """

    def __init__(self, book: RoomIndex, bus: MessageBus) -> None:
        self._book = book
        self._bus = bus
        self.member = 0
        """The number of this lobby."""
        self._ended: set[str] = set()
        """Ids of own rooms that memory does not have any more, but the database may still have."""
        self._run: tuple[Room, int, list[tuple[int, ReportedEvent | Lost]]] | None = None

    def end(self, room_id: str) -> None:
        """Note that an own room is dropped from memory: what is read of it is out of date."""
        self._ended.add(room_id)

    def is_foreign(self, entry: Entry) -> bool:
        """Return whether the row of a room says more than memory: an own change does not."""
        if entry.owner != self.member:
            return True
        is_own = self._book.owner(entry.room_id) == self.member
        return not is_own and entry.room_id not in self._ended

    def apply(self, ready: Iterable[tuple[int, Item]]) -> None:
        """Apply commits in order, and publish them."""
        taken: list[Room] = []
        for number, item in ready:
            match item:
                case OwnEvent(room_id, epoch, event):
                    self._event(number, room_id, epoch, event)
                case ReadEvent(entry, event):
                    self._event(number, entry.room_id, entry.epoch, event or Lost(entry.sequence))
                case OwnChange(room_id):
                    self._ended.discard(room_id or "")
                case ReadRoom():
                    self._publish_events()
                    taken += self._room(item)
                case Entry(room_id=room_id, content=signer):
                    self._publish_events()
                    if item.kind == NAME:
                        self._bus.publish(NamesOwned({room_id: signer.decode()}))
                    else:
                        self._end(room_id, RoomChanged)
        self._publish_events()
        if taken:
            self._bus.publish(RoomsTaken(taken))

    def _event(self, number: int, room_id: str, epoch: int, event: ReportedEvent | Lost) -> None:
        """Collect consecutive events of a room."""
        run = self._run
        if run is None or run[0].room_id != room_id or run[1] != epoch:
            self._publish_events()
            room = self._book.room(room_id)
            if room is None:  # unreadable, or removed in the meantime
                return
            run = self._run = room, epoch, []
        run[2].append((number, event))

    def _publish_events(self) -> None:
        """Fold the collected events into their room, and publish them."""
        if self._run is None:
            return
        (room, epoch, events), self._run = self._run, None
        committed = [
            Committed(number, room.room_id, event)
            for number, event in events
            if not isinstance(event, Lost)
        ]
        is_own = self._book.owner(room.room_id) == self.member
        if epoch == room.epoch:
            fold(room, [event for _, event in events], is_recorder=is_own)
        else:  # the end of an epoch whose successor has begun
            room.recent.extend(item.event for item in committed)
        if committed:
            self._bus.publish(EventsCommitted(room, committed, is_own))

    def _room(self, item: ReadRoom) -> Sequence[Room]:
        """Replace a room by its stored state; return it if it has become this lobby's."""
        entry, stored = item.entry, item.room
        if entry.is_archived:
            self._end(entry.room_id, RoomArchived)
            return ()
        if not self.is_foreign(entry):
            return ()
        self._ended.discard(entry.room_id)
        is_taken = entry.owner == self.member
        current = self._book.room(entry.room_id)
        if stored is None:
            self._book.set_owner(entry.room_id, entry.owner)
            return [current] if is_taken and current is not None else ()
        before = None if current is None else _shown(current)
        if current is None or self._book.owner(entry.room_id) == self.member:
            # Also instead of an own room that cannot be added, because this one has its id.
            self._book.keep(stored, entry.owner, hash(entry.content))
            current = stored
        else:
            _become(current, stored, has_recent=item.has_recent)
            self._book.set_owner(entry.room_id, entry.owner, hash(entry.content))
        if current.phase not in {"opening", "closing"} and _shown(current) != before:
            self._bus.publish(RoomChanged(current))
        return [current] if is_taken else ()

    def _end(self, room_id: str, event_type: type[RoomChanged | RoomArchived]) -> None:
        """Remove another lobby's room from memory."""
        self._ended.discard(room_id)
        current = self._book.room(room_id)
        if current is not None and self._book.owner(room_id) != self.member:
            self._book.drop(current)
            self._bus.publish(event_type(current))


def _shown(room: Room) -> tuple[object, ...] | None:
    """Return what `RoomChanged` reports of a room; None before it opens."""
    if room.phase == "opening":
        return None
    return (True,) if room.is_over else (False, room.waits.items, room.table_card_url)


def _become(room: Room, stored: Room, *, has_recent: bool) -> None:
    """Give a room the stored state; it stays the same object for those who hold it."""
    values = dict(vars(stored))
    if not has_recent:
        del values["recent"]
    vars(room).update(values)


class PageReading:
    """Reads the items of pages; `unreadable` records rows that cannot be read.

    Own events that wait for their turn are not parsed: memory has them.
    """

    def __init__(
        self,
        book: RoomIndex,
        replicas: Replicas,
        ordering: Ordering[Item],
        unreadable: UnreadableRows,
    ) -> None:
        self._book = book
        self._replicas = replicas
        self._ordering = ordering
        self._unreadable = unreadable

    async def items(self, connection: AsyncConnection, page: Page) -> Sequence[tuple[int, Item]]:
        """Return the items of a page in order."""
        items: list[tuple[int, Item]] = []
        recorded: dict[tuple[str, int], int] = {}
        for entry in page.entries:
            if entry.kind == EVENT:
                recorded[entry.room_id, entry.epoch] = entry.sequence
                if not self._ordering.is_own(entry.number):
                    event = read_row(entry, self._unreadable)
                    items.append((entry.number, ReadEvent(entry, event)))
            elif entry.kind == ROOM:
                if entry.is_archived or self._replicas.is_foreign(entry):
                    room = await self._room(connection, entry, recorded, page.upto)
                    items.append((entry.number, room))
            else:
                items.append((entry.number, entry))
        return items

    async def _room(
        self,
        connection: AsyncConnection,
        entry: Entry,
        recorded: Mapping[tuple[str, int], int],
        upto: int,
    ) -> ReadRoom:
        """Return a room as it is stored, with the events up to a cursor.

        If only its owner has changed, memory has its state: all events are folded into it. Events
        are read again only if the saved state does not contain all that were `recorded` before, by
        room and epoch: it was saved while they were being committed.
        """
        current = self._book.room(entry.room_id)
        if current is not None:
            if entry.is_archived:
                return ReadRoom(entry, None, has_recent=False)
            if self._book.saved(entry.room_id) == hash(entry.content):
                return ReadRoom(entry, current, has_recent=True)
        room = projection.saved_room(entry, self._unreadable)
        if room is None:
            return ReadRoom(entry, None, has_recent=False)
        last = recorded.get((room.room_id, room.epoch), 0)
        if current is None:
            is_exact = not last and (room.epoch, room.last_sequence) == (1, 0)
            has_recent = True
        else:
            if current.epoch == room.epoch:
                last = max(last, current.last_sequence)
            is_exact = last <= room.last_sequence
            has_recent = not is_exact
        if not is_exact:
            await projection.apply_recorded(connection, room, self._unreadable, upto)
        return ReadRoom(entry, room, has_recent)
