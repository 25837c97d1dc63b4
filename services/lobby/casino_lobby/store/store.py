"""What the use cases need of a store, whatever it is made of."""

from collections.abc import Sequence
from typing import Protocol

from casino_contracts import TableEvent

from casino_lobby.rooms import Room


class Store(Protocol):
    """Rooms by id and by table, and every room's events in order."""

    def add(self, room: Room) -> None:
        """Keep a new room; its ids are free (the caller looked)."""
        ...

    def remove(self, room: Room) -> None:
        """Forget a room that never opened."""
        ...

    def room(self, room_id: str) -> Room | None:
        """Return a room."""
        ...

    def room_of_table(self, table_id: str) -> Room | None:
        """Return the room that a table plays for."""
        ...

    def rooms(self) -> list[Room]:
        """Return all rooms, the oldest first."""
        ...

    async def record(self, room: Room, events: Sequence[TableEvent]) -> None:
        """Append events that follow on each other, and fold them into the room: all or none."""
        ...

    async def events(self, room: Room, after: int, limit: int) -> list[TableEvent]:
        """Return the room's events after a sequence, at most `limit`."""
        ...

    async def event(self, room: Room, sequence: int) -> TableEvent | None:
        """Return one event, None when it is not kept any more."""
        ...
