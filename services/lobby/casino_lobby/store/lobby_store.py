"""Store interface: rooms and their events; its parts have interfaces of their own.

Rooms are served from memory. A persistent store restores them after a restart: the room as last
saved, plus the events since.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from casino_contracts import TableEvent
from typing_extensions import override

from casino_lobby.domain.lobby_events import Committed, MessageBus
from casino_lobby.domain.reported_event import ReportedEvent
from casino_lobby.domain.room import Room
from casino_lobby.domain.rooms_by_table import TablesInUse
from casino_lobby.store.publications import Publications
from casino_lobby.store.stored_commands import StoredCommands
from casino_lobby.store.stored_hands import StoredHands
from casino_lobby.store.stored_rows import UnreadableRows


class Member(NamedTuple):
    """One lobby of a group. `url` is the address where the other members reach it."""

    number: int
    url: str


class LobbyGroup(ABC):
    """Which lobby owns a room or executes a command."""

    @abstractmethod
    def owns(self, room: Room) -> bool:
        """Return whether this lobby changes a room; the other ones only show it."""

    @abstractmethod
    def owner_of(self, room: Room) -> Member | None:
        """Return the other lobby that owns a room, from memory; None: this one, or nobody."""

    @abstractmethod
    def others(self) -> Sequence[Member]:
        """Return the other active lobbies, from memory."""

    @abstractmethod
    async def find(self, room_id: str) -> Room | None:
        """Return a room after following all that any lobby has committed; raises StoreFailed."""

    @abstractmethod
    async def reach(self, cursor: int) -> None:
        """Wait until everything up to a cursor is followed; raises StoreFailed after a while."""

    @abstractmethod
    async def command_owner(self, key: str) -> Member | None:
        """Return the other lobby that executes a pending command; raises StoreFailed."""


class NoGroup(LobbyGroup):
    """There is no other lobby: memory has all rooms, and each is this lobby's."""

    def __init__(self, room: Callable[[str], Room | None]) -> None:
        self._room = room

    @override
    def owns(self, room: Room) -> bool:
        return True

    @override
    def owner_of(self, room: Room) -> Member | None:
        return None

    @override
    def others(self) -> Sequence[Member]:
        return ()

    @override
    async def find(self, room_id: str) -> Room | None:
        return self._room(room_id)

    @override
    async def reach(self, cursor: int) -> None:
        pass

    @override
    async def command_owner(self, key: str) -> Member | None:
        return None


class NameOwners(ABC):
    """Stored owners of display names; they never change."""

    @abstractmethod
    async def all(self) -> Mapping[str, str]:
        """Return the owners of display names: thumbprints of card keys by `name_key`."""

    @abstractmethod
    async def own(self, name_key: str, signer: str) -> None:
        """Store the owner of a name; raises StoreFailed."""


class NoNameOwners(NameOwners):
    """Stores nothing: the domain holds the owners of this process."""

    @override
    async def all(self) -> Mapping[str, str]:
        return {}

    @override
    async def own(self, name_key: str, signer: str) -> None:
        pass


class Place(NamedTuple):
    """The place of an event in its room; places sort in the order of play."""

    epoch: int
    sequence: int


class KeptRecords(ABC):
    """What a store still has: archived rooms, and events that are not deleted."""

    @abstractmethod
    async def archived(self, room_id: str) -> Room | None:
        """Return an archived room, read anew at each call; raises StoreFailed."""

    @abstractmethod
    async def archived_rooms(self, after: str | None, limit: int) -> list[Room]:
        """Return those before the room `after`, the last first, without newest events."""

    @abstractmethod
    async def archived_ids(self, limit: int) -> list[str]:
        """Return the ids of the newest archived rooms, the last first; raises StoreFailed."""

    @abstractmethod
    async def archived_among(self, room_ids: Sequence[str]) -> list[Room]:
        """Return the readable ones of some archived rooms as they were archived."""

    @abstractmethod
    def oldest_cursor(self, room: Room | None = None) -> int:
        """Return the smallest cursor after which no event of a room (or of all) is missing."""

    @abstractmethod
    async def kept_from(self, room: Room) -> Place | None:
        """Return a room's oldest event if older ones are deleted; raises StoreFailed."""


class Store(ABC):
    """Rooms by id and by table, every room's events in order, and commands.

    `EventsCommitted` is published on `bus` for each batch of a room, after it is committed and
    folded. Stored rows that cannot be read are noted in `unreadable` and skipped. `in_use` has
    the rooms that are not over by the address of their table.
    """

    bus: MessageBus
    in_use: TablesInUse
    commands: StoredCommands
    hands: StoredHands
    group: LobbyGroup
    names: NameOwners
    published: Publications
    retention: KeptRecords
    unreadable: UnreadableRows

    @property
    @abstractmethod
    def is_held(self) -> bool:
        """Whether no other lobby can have the stored data at this moment."""

    @abstractmethod
    async def claim(self) -> bool:
        """Try to become the lobby that may open the store; raises StoreFailed."""

    @abstractmethod
    async def open(self) -> None:
        """Open the store, claimed or not, and load every room; raises StoreFailed."""

    @abstractmethod
    async def close(self) -> None:
        """Release all resources."""

    # Rooms: read from memory.

    @abstractmethod
    def room(self, room_id: str) -> Room | None:
        """Return a room by id."""

    @abstractmethod
    def room_of_table(self, table_id: str) -> Room | None:
        """Return the room of a table."""

    @abstractmethod
    def rooms(self) -> list[Room]:
        """Return all rooms, the oldest first."""

    @abstractmethod
    async def add(self, room: Room) -> None:
        """Add a new room, to memory at once; the caller has checked its ids against `rooms`.

        Raises CommandRefused: ROOM_EXISTS, TABLE_ID_TAKEN, if an unreadable room or a new one of
        another lobby has its ids; and StoreFailed.
        """

    @abstractmethod
    async def save(self, room: Room) -> None:
        """Save a room's state; raises StoreFailed."""

    @abstractmethod
    async def remove(self, room: Room) -> None:
        """Delete a room that never opened, from memory at once; raises StoreFailed."""

    @abstractmethod
    async def archive(self, room: Room) -> None:
        """Remove a room that is over from memory; a database keeps its rows."""

    @abstractmethod
    async def refuse_archived(self, room: Room) -> None:
        """May raise CommandRefused: ROOM_EXISTS, TABLE_ID_TAKEN; StoreFailed."""

    def own_rooms(self) -> list[Room]:
        """Return the rooms that this lobby owns, the oldest first."""
        return [room for room in self.rooms() if self.group.owns(room)]

    # Events.

    @abstractmethod
    async def record(self, room: Room, events: Sequence[ReportedEvent]) -> None:
        """Append consecutive events and fold them into the room: all or none.

        The caller ensures that each room has one batch at a time.
        Raises CommandRefused: EVENT_UNREADABLE, EVENT_TOO_LARGE, and StoreFailed.
        """

    @abstractmethod
    async def events(
        self, room: Room, after: int, limit: int, epoch: int | None = None
    ) -> list[TableEvent]:
        """Return at most `limit` events after a sequence, by default of the current epoch."""

    @property
    @abstractmethod
    def last_cursor(self) -> int:
        """The newest cursor; exactly the events up to it are folded into their rooms."""

    @abstractmethod
    async def committed(
        self, after: int, limit: int, room: Room | None = None
    ) -> Sequence[Committed]:
        """Return at most `limit` events after a cursor, in cursor order, of one room or of all."""

    @abstractmethod
    async def cursor(self, room: Room, epoch: int, sequence: int) -> int | None:
        """Return an event's cursor, None if it is not stored (any more)."""
