"""An event as it is kept: the JSON of the wire, which reads back as the event that it was."""

from collections.abc import Callable
from typing import Any

import orjson
from casino_agentkit import CommandRefused, Violation
from casino_contracts import TableEvent
from casino_contracts.events import EVENT_BYTES
from pydantic import ValidationError

from casino_lobby.store.unreadable import UNREADABLE, UnreadableRows, fault_in

_NAMES = {name: field.alias or name for name, field in TableEvent.model_fields.items()}

Writing = Callable[[TableEvent], str]
"""Returns what is kept of an event; raises CommandRefused for one that cannot be kept."""


def read(content: str | bytes) -> TableEvent:
    """Return an event that was kept; raises one of UNREADABLE."""
    return TableEvent.model_validate_json(content)


def read_row(row: Any, unreadable: UnreadableRows) -> TableEvent | None:
    """Return the event of a row of `event`; None where it cannot be read, which is noted."""
    try:
        told = read(row.content)
        if not is_whole(row.epoch, row.sequence):
            raise TypeError("its epoch or sequence is no number")
        if told.sequence not in {None, row.sequence}:
            raise ValueError("it is the content of another event")
    except UNREADABLE as error:
        unreadable.note("event", f"{row.room_id} {row.epoch}/{row.sequence}", error)
        return None
    return told


def is_whole(*values: object) -> bool:
    """Tell whether columns hold whole numbers; SQLite keeps anything anywhere."""
    return all(type(value) is int for value in values)


def written(event: TableEvent) -> str:
    """Return an event's JSON, as the model itself would write it, in a third of the time."""
    return _json(event).decode()


def proved(event: TableEvent) -> str:
    """Return an event's JSON, from which the same event was read before it is acknowledged.

    Writers and readers of JSON have limits of their own; what only one of them takes would be kept
    and never be seen again. Raises CommandRefused: EVENT_UNREADABLE, EVENT_TOO_LARGE.
    """
    try:
        content = _json(event)
        is_same = read(content).__dict__ == event.__dict__
        fault = None if is_same else "what is read back is another event"
    except ValidationError as error:
        fault = fault_in(error)
    except UNREADABLE:  # what Python says of it is nobody's business
        fault = "it is no JSON that can be written and read"
    called = f"Event {event.sequence} of table {event.table_id}"
    if fault is not None:
        raise CommandRefused(
            "EVENT_UNREADABLE",
            f"{called} could not be read back, so nothing of its batch was taken: {fault}.",
            (Violation("payload", fault),),
        )
    if len(content) > EVENT_BYTES:
        raise CommandRefused(
            "EVENT_TOO_LARGE",
            f"{called} has {len(content)} bytes, at most {EVENT_BYTES} are taken; nothing of its"
            " batch was.",
            (Violation("payload", f"at most {EVENT_BYTES} bytes with the rest of the event"),),
        )
    return content.decode()


def _json(event: TableEvent) -> bytes:
    told = {_NAMES[name]: value for name, value in event.__dict__.items() if value is not None}
    try:
        return orjson.dumps(told)
    except orjson.JSONEncodeError:  # a number of more than 64 bits
        return event.wire()
