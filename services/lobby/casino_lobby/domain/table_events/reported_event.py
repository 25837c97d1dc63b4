"""A table event as the lobby works with it: a model, or decoded from its JSON. Pure."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Final, Generic, Protocol, TypeVar

import msgspec
from casino_contracts import EventType, TableEvent
from casino_contracts.base import MESSAGE_LIMIT
from casino_contracts.events.content import EventContent, content_of
from casino_contracts.events.payload_fields import Fields
from casino_contracts.events.table_event import HAND_ID_LIMIT, TIMESTAMP_LIMIT
from casino_contracts.names import ID_LIMIT
from casino_contracts.numbers import MAX_SAFE

_LEVELS: Final = 8
"""How deep a payload may be nested to be decoded; a deeper one is read by the model."""

ValueT = TypeVar("ValueT")

_ENCODE: Final = msgspec.json.Encoder().encode

_Scalar = (
    str
    | Annotated[int, msgspec.Meta(ge=-MAX_SAFE, le=MAX_SAFE)]
    | Annotated[float, msgspec.Meta(ge=-MAX_SAFE, le=MAX_SAFE)]
    | bool
    | None
)
_PositiveWhole = Annotated[int, msgspec.Meta(ge=1, le=MAX_SAFE)]


def _values(levels: int) -> Any:
    """Return the type of JSON values that are nested at most so many levels deep."""
    values: Any = _Scalar
    for _ in range(levels):
        values = _Scalar | list[values] | dict[str, values]
    return values


if TYPE_CHECKING:
    _Payload = dict[str, Any]
else:
    _Payload = dict[str, _values(_LEVELS - 1)]


class ReportedEvent(Protocol):
    """An event that a table reported, with the fields of a `TableEvent`."""

    @property
    def table_id(self) -> str:
        """The table."""
        ...

    @property
    def event_type(self) -> EventType:
        """Determines the shape of the payload."""
        ...

    @property
    def message(self) -> str:
        """For people."""
        ...

    @property
    def timestamp(self) -> str:
        """ISO 8601, UTC."""
        ...

    @property
    def payload(self) -> Fields | None:
        """What the event says."""
        ...

    @property
    def sequence(self) -> int | None:
        """1, 2, 3 … per table and epoch; None where the table numbers no events."""
        ...

    @property
    def epoch(self) -> int | None:
        """The epoch of its room."""
        ...

    @property
    def hand_id(self) -> str | None:
        """The hand that it belongs to."""
        ...


class _Once(Generic[ValueT]):
    """A property that is computed once; `functools.cached_property` locks, which costs as much."""

    def __init__(self, compute: Callable[[Any], ValueT]) -> None:
        self._compute = compute
        self._name = compute.__name__

    def __get__(self, event: Any, _owner: type) -> ValueT:
        value = event.__dict__[self._name] = self._compute(event)
        return value


class DecodedEvent(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    rename="camel",
    dict=True,
):
    """A table event that was decoded from its JSON, with the limits of `TableEvent`.

    A decoder refuses some events that the model takes. The fields and their order are the model's.
    """

    table_id: Annotated[str, msgspec.Meta(max_length=ID_LIMIT)]
    event_type: EventType
    message: Annotated[str, msgspec.Meta(max_length=MESSAGE_LIMIT)]
    timestamp: Annotated[str, msgspec.Meta(max_length=TIMESTAMP_LIMIT)]
    payload: _Payload | None = None
    sequence: _PositiveWhole | None = None
    epoch: _PositiveWhole | None = None
    hand_id: Annotated[str, msgspec.Meta(max_length=HAND_ID_LIMIT)] | None = None

    @_Once
    def content(self) -> bytes:
        """Its JSON, as our own tables write it."""
        return _ENCODE(self)

    @_Once
    def said(self) -> EventContent | None:
        """Its content; None where it does not even name the player that it is about."""
        return content_of(self)


def said_by(event: ReportedEvent) -> EventContent | None:
    """Return what an event says; None where it does not even name the player it is about."""
    return event.said if isinstance(event, DecodedEvent) else content_of(event)


def model_of(event: ReportedEvent) -> TableEvent:
    """Return an event as a message."""
    if isinstance(event, TableEvent):
        return event
    if isinstance(event, DecodedEvent):
        return TableEvent.model_validate_json(event.content)
    raise TypeError(f"no table event: {type(event).__name__}")
