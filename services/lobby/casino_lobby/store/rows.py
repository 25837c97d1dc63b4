"""Rows that a batch of events adds to the tables, with columns in the order of `schema`."""

from dataclasses import dataclass, field
from typing import NamedTuple


class EventRow(NamedTuple):
    """A row of `event`; the writer prepends its cursor."""

    room_id: str
    epoch: int
    sequence: int
    event_type: str
    hand_number: int | None
    content: str


class PlayerRow(NamedTuple):
    """A row of `player`."""

    room_id: str
    player_id: str
    display_name: str
    agent_card_url: str | None
    seat_number: int | None
    epoch: int
    sequence: int


class SessionRow(NamedTuple):
    """A new row of `session`."""

    room_id: str
    number: int
    epoch: int
    first_sequence: int


class SessionEnd(NamedTuple):
    """A session's end; the first three fields are updated, the others identify the session."""

    last_epoch: int
    last_sequence: int
    hands: int
    room_id: str
    number: int


class HandRow(NamedTuple):
    """A row of `hand`."""

    room_id: str
    epoch: int
    hand_number: int
    first_sequence: int | None
    last_sequence: int
    board: str
    pot: int | None


class LedgerRow(NamedTuple):
    """A row of `ledger`."""

    room_id: str
    epoch: int
    sequence: int
    account: str
    kind: str
    chips: int
    hand_number: int | None


class RoomContent(NamedTuple):
    """The saved state of a room."""

    content: str
    room_id: str


@dataclass
class Rows:
    """The rows of one or more batches.

    `after` is the cursor before the first event's, once the writer has assigned the cursors.
    """

    events: list[EventRow] = field(default_factory=list)
    players: list[PlayerRow] = field(default_factory=list)
    sessions: list[SessionRow] = field(default_factory=list)
    session_ends: list[SessionEnd] = field(default_factory=list)
    hands: list[HandRow] = field(default_factory=list)
    ledger: list[LedgerRow] = field(default_factory=list)
    rooms: list[RoomContent] = field(default_factory=list)
    after: int = 0

    def extend(self, other: "Rows") -> None:
        """Append another batch's rows; their events follow these."""
        if not self.events:
            self.after = other.after
        self.events += other.events
        self.players += other.players
        self.sessions += other.sessions
        self.session_ends += other.session_ends
        self.hands += other.hands
        self.ledger += other.ledger
        self.rooms += other.rooms
