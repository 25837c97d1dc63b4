"""What has happened inside the lobby, and the bus that passes it to the parts that react. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import structlog

from casino_lobby.domain.reported_event import ReportedEvent
from casino_lobby.domain.room import Room


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
class EventsRefused(LobbyEvent):
    """A call with events of the table of a room was refused; without one the table is unknown.

    `is_proved`: it had the table's token, or needed none; else anybody may have sent it.
    """

    room: Room | None
    reason: str
    is_proved: bool


@dataclass(frozen=True, slots=True)
class EventsMissed(LobbyEvent):
    """Another lobby of a group deleted events before this one had read them."""


@dataclass(frozen=True, slots=True)
class RoomChanged(LobbyEvent):
    """A room opened, moved, waits or goes on, failed or closed, or was removed unopened."""

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
class StoreHealth(LobbyEvent):
    """The database cannot be written at the moment, or takes changes again."""

    error: str | None
    """For operators; None: it takes changes."""


@dataclass(frozen=True, slots=True)
class RoomsTaken(LobbyEvent):
    """The rooms of a lobby that was lost are this lobby's now; they equal what is stored.

    Its pending commands are taken with them; if there are any, the event comes once more without
    rooms.
    """

    rooms: Sequence[Room]


EventT = TypeVar("EventT", bound=LobbyEvent)

logger = structlog.get_logger(__name__)


class MessageBus:
    """Handlers by the type of event; `app.build_app` subscribes all of them.

    Commands are refused by exceptions, events are not: what an event reports has happened, so a
    handler that raises is logged, and the publisher and the other handlers go on.
    """

    def __init__(self) -> None:
        self._handlers: dict[type[LobbyEvent], list[Callable[[Any], None]]] = {}

    def subscribe(self, event_type: type[EventT], handler: Callable[[EventT], None]) -> None:
        """Call `handler` with every event of exactly this type. It must not block."""
        self._handlers.setdefault(event_type, []).append(handler)

    def publish(self, event: LobbyEvent) -> None:
        """Call the handlers of the event's type, in order of subscription, before returning."""
        for handler in self._handlers.get(type(event), ()):
            try:
                handler(event)
            except Exception:
                logger.exception("event_handler_failed", event_type=type(event).__name__)
