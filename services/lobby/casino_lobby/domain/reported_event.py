"""Table events as the lobby handles them: models, or decoded; as JSON; the newest ones. Pure."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, Final, Generic, TypeVar

import msgspec
import orjson
from casino_agentkit import CommandRefused, Violation
from casino_contracts import Reason, TableEvent
from casino_contracts.base import MESSAGE_LIMIT
from casino_contracts.events.content import EventContent, content_of
from casino_contracts.events.table_event import EVENT_BYTES
from casino_contracts.fast_struct import struct_of
from casino_contracts.numbers import MAX_SAFE
from pydantic import ValidationError

from casino_lobby.errors import UNREADABLE, fault_in

_LEVELS: Final = 8
"""How deep a payload may be nested to be decoded; a deeper one is read by the model."""

ValueT = TypeVar("ValueT")

_Scalar = (
    str
    | Annotated[int, msgspec.Meta(ge=-MAX_SAFE, le=MAX_SAFE)]
    | Annotated[float, msgspec.Meta(ge=-MAX_SAFE, le=MAX_SAFE)]
    | bool
    | None
)


def _values(levels: int) -> Any:
    """Return the type of JSON values that are nested at most so many levels deep."""
    values: Any = _Scalar
    for _ in range(levels):
        values = _Scalar | list[values] | dict[str, values]
    return values


ReportedEvent = TableEvent
"""An event that a table reported: the model, or a `DecodedEvent`, which has the same fields."""

if TYPE_CHECKING:
    _EventStruct = TableEvent
else:
    _EventStruct = struct_of(
        TableEvent,
        message=Annotated[str, msgspec.Meta(max_length=MESSAGE_LIMIT)],
        payload=dict[str, _values(_LEVELS - 1)] | None,
    )


class _Once(Generic[ValueT]):
    """A property that is computed once; `functools.cached_property` locks, which costs as much."""

    def __init__(self, compute: Callable[[Any], ValueT]) -> None:
        self._compute = compute
        self._name = compute.__name__

    def __get__(self, event: Any, _owner: type) -> ValueT:
        value = event.__dict__[self._name] = self._compute(event)
        return value


class DecodedEvent(_EventStruct, frozen=True, dict=True):
    """A table event that was decoded from its JSON, with the limits of `TableEvent`.

    A decoder refuses some events that the model takes.
    """

    @_Once
    def content(self) -> bytes:
        return self.wire()

    @_Once
    def said(self) -> EventContent | None:
        """Its content; None where it does not even name the player that it is about."""
        return content_of(self)


def content_of_event(event: ReportedEvent) -> EventContent | None:
    """Return what an event says; None where it does not even name the player it is about."""
    return event.said if isinstance(event, DecodedEvent) else content_of(event)


def model_of(event: ReportedEvent) -> TableEvent:
    if isinstance(event, DecodedEvent):
        return TableEvent.model_validate_json(event.content)
    return event


_NAMES = {name: field.alias or name for name, field in TableEvent.model_fields.items()}

Writing = Callable[[ReportedEvent], bytes]
"""Returns the stored form of an event; raises CommandRefused if it cannot be stored."""


def read(content: str | bytes) -> TableEvent:
    """Return the event of JSON; raises one of UNREADABLE."""
    return TableEvent.model_validate_json(content)


def written(event: ReportedEvent) -> bytes:
    """Return an event's JSON without verification, three times as fast as the model's own."""
    return event.content if isinstance(event, DecodedEvent) else _json(model_of(event))


def proved(event: ReportedEvent) -> bytes:
    """Return an event's JSON after checking that it reads back as the same event.

    JSON writers and readers have different limits; an event that only the writer accepts would be
    lost. One that was decoded from this very JSON needs no check.
    Raises CommandRefused: EVENT_UNREADABLE, EVENT_TOO_LARGE.
    """
    if isinstance(event, DecodedEvent):
        content, fault = event.content, None
    else:
        content, fault = _read_back(model_of(event))
    if fault is None and len(content) <= EVENT_BYTES:
        return content
    subject = f"Event {event.sequence} of table {event.table_id}"
    if fault is not None:
        raise CommandRefused(
            Reason.EVENT_UNREADABLE,
            f"{subject} could not be read back, so none of its batch was accepted: {fault}.",
            (Violation("payload", fault),),
        )
    raise CommandRefused(
        Reason.EVENT_TOO_LARGE,
        f"{subject} has {len(content)} bytes, at most {EVENT_BYTES} are allowed; none of its"
        " batch was accepted.",
        (Violation("payload", f"at most {EVENT_BYTES} bytes with the rest of the event"),),
    )


def _read_back(event: TableEvent) -> tuple[bytes, str | None]:
    """Return an event's JSON, and why it does not read back as the same event."""
    try:
        content = _json(event)
        is_same = read(content).__dict__ == event.__dict__
    except ValidationError as error:
        return b"", fault_in(error)
    except UNREADABLE:  # Python's own message is not disclosed
        return b"", "it is no JSON that can be written and read"
    return content, None if is_same else "reading it back yields another event"


def _json(event: TableEvent) -> bytes:
    values = {_NAMES[name]: value for name, value in event.__dict__.items() if value is not None}
    try:
        return orjson.dumps(values)
    except orjson.JSONEncodeError:  # a number of more than 64 bits
        return event.wire()


RECENT_EVENTS: Final = 200
"""Maximum number of newest events in a snapshot."""
RECENT_BYTES: Final = 512 * 1024
"""Maximum size of them as JSON; an event has about 500 bytes, and at most 64 KiB."""


class RecentEvents:
    """At most `RECENT_EVENTS` events, the oldest first; a decoded one is kept as its JSON.

    That takes a sixth of the memory of its values, which a reader needs seldom. Of events that have
    more than `most_bytes` in all only the newest are kept, one at least.
    """

    def __init__(self, most_bytes: int = RECENT_BYTES) -> None:
        self._events: deque[bytes | TableEvent] = deque()
        self._most_bytes = most_bytes
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._events)

    def __iter__(self) -> Iterator[TableEvent]:
        return self.newest(RECENT_EVENTS)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RecentEvents) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # it changes

    def newest(self, count: int) -> Iterator[TableEvent]:
        for event in islice(self._events, max(0, len(self._events) - count), None):
            yield event if isinstance(event, TableEvent) else TableEvent.model_validate_json(event)

    def append(self, event: ReportedEvent) -> None:
        newest = event.content if isinstance(event, DecodedEvent) else model_of(event)
        self._events.append(newest)
        self._bytes += _size(newest)
        while len(self._events) > 1 and (
            len(self._events) > RECENT_EVENTS or self._bytes > self._most_bytes
        ):
            self._bytes -= _size(self._events.popleft())

    def extend(self, events: Iterable[ReportedEvent]) -> None:
        for event in events:
            self.append(event)

    def clear(self) -> None:
        self._events.clear()
        self._bytes = 0


def _size(event: bytes | TableEvent) -> int:
    return len(event if isinstance(event, bytes) else event.wire())
