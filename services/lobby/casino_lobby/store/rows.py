"""Rows that a batch of events adds to the tables, with columns in the order of `schema`."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncConnection

Change = Callable[[AsyncConnection], Awaitable[object]]
"""A function that executes statements within the transaction."""


class EventRow(NamedTuple):
    """A row of `event`; the writer prepends its cursor."""

    room_id: str
    epoch: int
    sequence: int
    event_type: str
    hand_number: int | None
    content: bytes
    """The JSON; the writer packs it."""


class HandRow(NamedTuple):
    """A row of `hand`."""

    room_id: str
    epoch: int
    hand_number: int
    first_sequence: int | None
    last_sequence: int
    board: str
    pot: int | None
    score: int
    kinds: str
    players: str


class RoomContent(NamedTuple):
    """The saved state of a room."""

    content: str
    room_id: str


class NumberedContent(NamedTuple):
    """The saved state of a room in a group of lobbies."""

    content: str
    changed: int
    room_id: str

    @classmethod
    def of(cls, row: RoomContent, number: int) -> "NumberedContent":
        """Return a room's row with its number in the order of the group."""
        return cls(row.content, number, row.room_id)


@dataclass(slots=True)
class Rows:
    """The rows of a batch.

    `after` is the cursor before the first event's, once the writer has assigned the cursors. In a
    group of lobbies the rooms have the numbers that follow those of the events.
    """

    events: list[EventRow] = field(default_factory=list)
    hands: list[HandRow] = field(default_factory=list)
    rooms: list[RoomContent] = field(default_factory=list)
    after: int = 0

    @property
    def numbered_rooms(self) -> list[NumberedContent]:
        """The rooms with their numbers in a group."""
        first = self.after + 1 + len(self.events)
        return [NumberedContent.of(row, number) for number, row in enumerate(self.rooms, first)]


@dataclass
class NumberedChange:
    """A change that has a number in the order of a group of lobbies; None outside of one.

    `execute` gets the connection within its transaction and the number.
    """

    execute: Callable[[AsyncConnection, int | None], Awaitable[object]]
    number: int | None = None


Work = Rows | Change | NumberedChange
"""What the writer commits."""
