"""Store interface: rooms, events, hands, names and commands.

Rooms are served from memory. A persistent store restores them after a restart: the room as last
saved, plus the events since.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final, NamedTuple, Protocol

from casino_contracts import TableEvent

from casino_lobby.domain.lobby_events import Committed, MessageBus
from casino_lobby.domain.member import Member
from casino_lobby.domain.reported_event import ReportedEvent
from casino_lobby.domain.room import Room
from casino_lobby.domain.rooms_by_table import TablesInUse
from casino_lobby.store.publications import Publications
from casino_lobby.store.stored_hands import (
    EVERY_HAND,
    HandFilter,
    HandKey,
    Rank,
    RankedKey,
    StoredHand,
)
from casino_lobby.store.unreadable import UnreadableRows


class Place(NamedTuple):
    """The place of an event in its room; places sort in the order of play."""

    epoch: int
    sequence: int


KEPT: Final = timedelta(days=7)
"""How long the answer of a finished command is kept for repeated requests."""


@dataclass(frozen=True)
class Command:
    """A stored command; stored before it is executed, so that a crash cannot execute it twice.

    `key` identifies it (its kind and its caller's request id), `digest` its content. `notes` holds
    values fixed before it was sent on, such as a player's id. `answer` is its output as JSON, None
    while it is pending.
    """

    key: str
    name: str
    digest: str
    input: str
    """The command's input as JSON."""
    notes: Mapping[str, str] = field(default_factory=dict)
    answer: str | None = None


class Store(Protocol):
    """Rooms by id and by table, every room's events in order, and commands.

    `EventsCommitted` is published on `bus` for each batch of a room, after it is committed and
    folded. Stored rows that cannot be read are noted in `unreadable` and skipped. `in_use` has
    the rooms that are not over by the address of their table.
    """

    bus: MessageBus
    in_use: TablesInUse
    published: Publications
    unreadable: UnreadableRows

    @property
    def is_held(self) -> bool:
        """Whether no other lobby can have the stored data at this moment."""
        ...

    async def claim(self) -> bool:
        """Try to become the lobby that may open the store; False while another one has it.

        Raises StoreFailed.
        """
        ...

    async def open(self) -> None:
        """Open the store, claimed or not, and load every room; raises StoreFailed."""
        ...

    async def close(self) -> None:
        """Release all resources."""
        ...

    # Rooms: read from memory.

    def room(self, room_id: str) -> Room | None:
        """Return a room by id."""
        ...

    def room_of_table(self, table_id: str) -> Room | None:
        """Return the room of a table."""
        ...

    def rooms(self) -> list[Room]:
        """Return all rooms, the oldest first."""
        ...

    async def add(self, room: Room) -> None:
        """Add a new room, to memory at once; the caller has checked its ids against `rooms`.

        Raises CommandRefused: ROOM_EXISTS, TABLE_ID_TAKEN, if an unreadable room or a new one of
        another lobby has its ids; and StoreFailed.
        """
        ...

    async def save(self, room: Room) -> None:
        """Save a room's state; raises StoreFailed."""
        ...

    async def remove(self, room: Room) -> None:
        """Delete a room that never opened, from memory at once; raises StoreFailed."""
        ...

    async def archive(self, room: Room) -> None:
        """Remove a room that is over from memory; a database keeps its rows."""
        ...

    async def refuse_archived(self, room: Room) -> None:
        """Check that no archived room has an id of a new one.

        Raises CommandRefused: ROOM_EXISTS, TABLE_ID_TAKEN; StoreFailed.
        """
        ...

    async def archived(self, room_id: str) -> Room | None:
        """Return an archived room, read anew at each call; raises StoreFailed."""
        ...

    async def archived_rooms(self, after: str | None, limit: int) -> list[Room]:
        """Return at most `limit` archived rooms, the last archived first, without newest events.

        Those that were archived before the room `after`. Raises StoreFailed.
        """
        ...

    # A group: several lobbies that are active on one database. Outside of one all is this lobby's.

    def owns(self, room: Room) -> bool:
        """Return whether this lobby changes a room; the other ones only show it."""
        ...

    def own_rooms(self) -> list[Room]:
        """Return the rooms that this lobby owns, the oldest first."""
        ...

    def owner_of(self, room: Room) -> Member | None:
        """Return the other lobby that owns a room, from memory; None: this one, or nobody."""
        ...

    def others(self) -> Sequence[Member]:
        """Return the other active lobbies, from memory."""
        ...

    async def find(self, room_id: str) -> Room | None:
        """Return a room by id, after following everything that any lobby has committed by now.

        Raises StoreFailed.
        """
        ...

    async def reach(self, cursor: int) -> None:
        """Wait until everything up to a cursor is followed; raises StoreFailed after a while."""
        ...

    async def command_owner(self, key: str) -> Member | None:
        """Return the other lobby that executes a pending command; raises StoreFailed."""
        ...

    # Events.

    async def record(self, room: Room, events: Sequence[ReportedEvent]) -> None:
        """Append consecutive events and fold them into the room: all or none.

        The caller ensures that each room has one batch at a time.
        Raises CommandRefused: EVENT_UNREADABLE, EVENT_TOO_LARGE, and StoreFailed.
        """
        ...

    async def events(
        self, room: Room, after: int, limit: int, epoch: int | None = None
    ) -> list[TableEvent]:
        """Return at most `limit` events after a sequence, by default of the current epoch."""
        ...

    @property
    def last_cursor(self) -> int:
        """The newest cursor; exactly the events up to it are folded into their rooms."""
        ...

    def oldest_cursor(self, room: Room | None = None) -> int:
        """Return the smallest cursor after which no event of a room (or of all) is missing."""
        ...

    async def committed(
        self, after: int, limit: int, room: Room | None = None
    ) -> Sequence[Committed]:
        """Return at most `limit` events after a cursor, in cursor order, of one room or of all."""
        ...

    async def cursor(self, room: Room, epoch: int, sequence: int) -> int | None:
        """Return an event's cursor, None if it is not stored (any more)."""
        ...

    async def kept_from(self, room: Room) -> Place | None:
        """Return the place of a room's oldest event if older ones are deleted, else None.

        Raises StoreFailed.
        """
        ...

    async def hands(
        self,
        room: Room,
        after: HandKey | None,
        limit: int,
        *,
        newest_first: bool = False,
        among: HandFilter = EVERY_HAND,
    ) -> list[StoredHand]:
        """Return at most `limit` completed hands of a room that follow `after`."""
        ...

    async def best_hands(
        self,
        room: Room,
        after: RankedKey | None,
        limit: int,
        *,
        by: Rank,
        among: HandFilter = EVERY_HAND,
    ) -> list[StoredHand]:
        """Return at most `limit` hands that follow `after`, the best first."""
        ...

    async def hand(self, room: Room, number: int, epoch: int | None = None) -> StoredHand | None:
        """Return one completed hand, by default of the newest epoch that has it."""
        ...

    # Names.

    async def name_owners(self) -> Mapping[str, str]:
        """Return the owners of display names: thumbprints of card keys by `name_key`."""
        ...

    async def own_name(self, name_key: str, signer: str) -> None:
        """Store the owner of a name; raises StoreFailed."""
        ...

    # Commands.

    async def intend(self, command: Command) -> Command:
        """Store a new command, or return the stored one with the same key."""
        ...

    async def note(self, key: str, notes: Mapping[str, str]) -> None:
        """Add to a command's notes."""
        ...

    async def finish(self, key: str, answer: str) -> None:
        """Store a command's answer."""
        ...

    async def drop(self, key: str) -> None:
        """Delete a refused command, so that it can be sent again."""
        ...

    async def pending(self) -> list[Command]:
        """Return the commands without an answer, the oldest first.

        In a group: those of this lobby that it has not begun, each of them once.
        """
        ...
