"""Lobby events: what has happened inside the lobby, for its parts that react. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from casino_lobby.domain.room import Room
from casino_lobby.domain.table_events.reported_event import ReportedEvent


class Committed(NamedTuple):
    """A committed table event and its cursor, its position among all events of the lobby."""

    cursor: int
    room_id: str
    event: ReportedEvent


class LobbyEvent:
    """Base class of what is published on the lobby's bus; not to be confused with `TableEvent`."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class EventsCommitted(LobbyEvent):
    """Table events of a room were committed and folded into it; batches come in cursor order.

    `is_own` is False if another lobby of a group recorded them, which owns the room.
    """

    room: Room
    committed: Sequence[Committed]
    is_own: bool = True


@dataclass(frozen=True, slots=True)
class EventsRepeated(LobbyEvent):
    """A table delivered `count` events that were recorded before."""

    count: int


@dataclass(frozen=True, slots=True)
class EventsMissed(LobbyEvent):
    """Another lobby of a group deleted events before this one had read them."""


@dataclass(frozen=True, slots=True)
class RoomChanged(LobbyEvent):
    """A room opened, moved, waits for a table, failed or closed, or was removed unopened."""

    room: Room


@dataclass(frozen=True, slots=True)
class NamesOwned(LobbyEvent):
    """Another lobby of a group stored owners of display names: thumbprints by `name_key`."""

    owners: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RoomArchived(LobbyEvent):
    """A room that is over was removed from memory."""

    room: Room


@dataclass(frozen=True, slots=True)
class TableLost(LobbyEvent):
    """The process of a room's launched table ended unexpectedly."""

    room_id: str


@dataclass(frozen=True, slots=True)
class TableReplaced(LobbyEvent):
    """A room continues from the lobby's record, in a new epoch, at its table or at another one."""

    room: Room
    has_moved: bool


@dataclass(frozen=True, slots=True)
class StoreLost(LobbyEvent):
    """Another lobby has taken the database over; `term` was this lobby's."""

    term: int


@dataclass(frozen=True, slots=True)
class RoomsTaken(LobbyEvent):
    """The rooms of a lobby that was lost are this lobby's now; they equal what is stored.

    Its pending commands are taken with them; if there are any, the event comes once more without
    rooms.
    """

    rooms: Sequence[Room]
