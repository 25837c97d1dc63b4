"""Hot input of `recordTableEvents`: the parts of a delivery, each read by itself."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, NamedTuple

import msgspec
from casino_agentkit import Violation
from casino_agentkit.violations import violations_of
from casino_contracts import RecordTableEventsInput, TableDelivery
from casino_contracts.events.table_event import DELIVERY_TABLES
from pydantic import Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from casino_lobby.delivery.event_batch import Events, json_of
from casino_lobby.domain.table_events.reported_event import ReportedEvent


class DeliveredPart(NamedTuple):
    """The events of one table; none, but `violations`, if the part is invalid."""

    room_token: str | None
    events: Sequence[ReportedEvent]
    violations: tuple[Violation, ...] = ()


class _InvalidDelivery(TableDelivery):
    """A part that its model refuses; it has no events."""

    violations: tuple[Violation, ...]


def _judged(part: Any, validate: ValidatorFunctionWrapHandler) -> Any:
    try:
        return validate(part)
    except ValidationError as error:
        violations = violations_of(error, data=part)
        return _InvalidDelivery.model_construct(events=(), violations=violations)


class JudgedInput(RecordTableEventsInput):
    """Events of several tables, of which each part is valid or not."""

    tables: Annotated[
        tuple[Annotated[TableDelivery, WrapValidator(_judged)], ...],
        Field(min_length=1, max_length=DELIVERY_TABLES),
    ]


class _Part(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    room_token: Annotated[
        str, msgspec.Meta(min_length=16, max_length=512, pattern=r"^[\x21-\x7e]+\Z")
    ]
    events: Events


class _Delivery(msgspec.Struct, forbid_unknown_fields=True):
    tables: Annotated[list[_Part], msgspec.Meta(min_length=1, max_length=DELIVERY_TABLES)]


_DECODER: Final = msgspec.json.Decoder(_Delivery)
_ENCODE: Final = msgspec.json.Encoder().encode


class DeliveryInput:
    """Reads a delivery that is written as our own tables write it, with a token in each part."""

    model: Any = JudgedInput

    def read(self, data: bytes) -> Sequence[DeliveredPart]:
        """Return the parts of a delivery. Raises ValueError: the model has to read it."""
        tables = _DECODER.decode(data).tables
        written = [
            b'{"roomToken":%b,"events":[%b]}' % (_ENCODE(part.room_token), json_of(part.events))
            for part in tables
        ]
        if b'{"tables":[%b]}' % b",".join(written) != data:
            raise ValueError("no JSON of our own tables")
        return [DeliveredPart(part.room_token, part.events) for part in tables]

    def of_model(self, message: RecordTableEventsInput) -> Sequence[DeliveredPart]:
        """Return the parts that the model has read, or refused."""
        return [
            DeliveredPart(
                part.room_token,
                part.events,
                part.violations if isinstance(part, _InvalidDelivery) else (),
            )
            for part in message.tables
        ]
