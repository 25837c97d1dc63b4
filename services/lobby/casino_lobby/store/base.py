"""What the use cases need of a store, whatever it is made of.

Rooms live in memory, where they are asked a thousand times a second; the store keeps what they are
made of, and gives it back after a restart: the room as it was last saved, and the events since.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from casino_agentkit import CommandRefused
from casino_contracts import TableEvent

from casino_lobby.domain.room import Room
from casino_lobby.store.hands import HandKey, StoredHand
from casino_lobby.store.unreadable import UnreadableRows


class StoreFailed(CommandRefused):
    """What was to be kept could not be kept, and nothing of it was.

    As text it says why, for the log; whoever asked is told only that it was not done.
    """

    def __init__(self, why: str) -> None:
        super().__init__(
            "STORE_FAILED", "It could not be written down, so it was not done; try again later."
        )
        self.why = why

    def __str__(self) -> str:
        """Return why."""
        return self.why


class Committed(NamedTuple):
    """An event that has happened for good, and its place among all events of the lobby."""

    cursor: int
    room_id: str
    event: TableEvent


Listener = Callable[[Room, Sequence[Committed]], None]
"""Hears of a batch of a room, in the order of the cursor, once it is committed and folded."""


@dataclass(frozen=True)
class Command:
    """A command as an intent: written before it is carried out, so that no crash doubles it.

    `key` names it (its kind and the id that its caller gave it), `digest` its content; `notes` is
    what was fixed before it was sent on (a player's id, say); `answer` is its output as JSON once
    it is done.
    """

    key: str
    name: str
    digest: str
    given: str
    """The input as JSON."""
    notes: Mapping[str, str] = field(default_factory=dict)
    answer: str | None = None


class Store(Protocol):
    """Rooms by id and by table, every room's events in order, and the commands under way.

    What is stored and cannot be read is noted in `unreadable` and left out.
    """

    unreadable: UnreadableRows

    async def open(self) -> None:
        """Make ready and read every room; raises StoreFailed."""
        ...

    async def close(self) -> None:
        """Let go."""
        ...

    # Rooms: read from memory.

    def room(self, room_id: str) -> Room | None:
        """Return a room."""
        ...

    def room_of_table(self, table_id: str) -> Room | None:
        """Return the room that a table plays for."""
        ...

    def rooms(self) -> list[Room]:
        """Return all rooms, the oldest first."""
        ...

    async def add(self, room: Room) -> None:
        """Keep a new room, in memory at once; its ids are free among `rooms` (the caller looked).

        Raises CommandRefused: ROOM_EXISTS, TABLE_ID_TAKEN, for the ids of a room that cannot be
        read.
        """
        ...

    async def save(self, room: Room) -> None:
        """Keep what has changed of a room beside its events."""
        ...

    async def remove(self, room: Room) -> None:
        """Forget a room that never opened, in memory at once."""
        ...

    async def archive(self, room: Room) -> None:
        """Let a room that is over go from memory; what was played stays where it was kept."""
        ...

    async def refuse_archived(self, room: Room) -> None:
        """Refuse a new room that has an id of an archived one.

        Raises CommandRefused: ROOM_EXISTS, TABLE_ID_TAKEN; StoreFailed.
        """
        ...

    # Events.

    async def record(self, room: Room, events: Sequence[TableEvent]) -> None:
        """Append events that follow on each other, and fold them into the room: all or none.

        The caller sees to it that one room has one batch at a time.
        Raises CommandRefused: EVENT_UNREADABLE, EVENT_TOO_LARGE, and StoreFailed.
        """
        ...

    async def events(
        self, room: Room, after: int, limit: int, epoch: int | None = None
    ) -> list[TableEvent]:
        """Return the room's events after a sequence, at most `limit`; of its epoch by default."""
        ...

    async def event(self, room: Room, sequence: int) -> TableEvent | None:
        """Return one event of the room's epoch, None when it is not kept (any more)."""
        ...

    @property
    def last_cursor(self) -> int:
        """The newest cursor: all events up to it are folded into their rooms, and no others."""
        ...

    def oldest_cursor(self, room: Room | None = None) -> int:
        """Return the smallest cursor after which no event is missing, of a room or of all."""
        ...

    async def committed(
        self, after: int, limit: int, room: Room | None = None
    ) -> Sequence[Committed]:
        """Return events after a cursor in its order, at most `limit`; of a room, or of all."""
        ...

    async def cursor(self, room: Room, epoch: int, sequence: int) -> int | None:
        """Return an event's cursor, None when it is not kept (any more)."""
        ...

    def listen(self, listener: Listener) -> None:
        """Tell somebody of every batch; it must not wait, and may not fail."""
        ...

    async def balances(self, room_id: str) -> dict[str, int]:
        """Return the chips of every account of a room that is not empty; they sum to 0."""
        ...

    async def hands(
        self, room: Room, after: HandKey | None, limit: int, *, newest_first: bool = False
    ) -> list[StoredHand]:
        """Return the room's completed hands that follow on one, at most `limit`."""
        ...

    async def hand(self, room: Room, number: int, epoch: int | None = None) -> StoredHand | None:
        """Return one completed hand, of the newest epoch that has it by default."""
        ...

    # Names.

    async def name_owners(self) -> Mapping[str, str]:
        """Return whose display names are: the thumbprint of a card's key by `name_key`."""
        ...

    async def own_name(self, name_key: str, signer: str) -> None:
        """Keep that a name has an owner now."""
        ...

    # Commands.

    async def intend(self, command: Command) -> Command:
        """Keep a new command, or return the one that is known by its key."""
        ...

    async def note(self, key: str, notes: Mapping[str, str]) -> None:
        """Add to a command's notes."""
        ...

    async def finish(self, key: str, answer: str) -> None:
        """Keep a command's answer."""
        ...

    async def drop(self, key: str) -> None:
        """Forget a command that was refused: it may be sent again."""
        ...

    async def pending(self) -> list[Command]:
        """Return the commands without an answer, the oldest first."""
        ...
