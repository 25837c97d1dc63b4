"""Hot input of `recordGameEvent`: the events of a table, decoded from their JSON."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

import msgspec
from casino_contracts import RecordGameEventInput, TableEvent, TableEventBatch
from casino_contracts.events.table_event import BATCH_BYTES

from casino_lobby.domain.table_events.reported_event import DecodedEvent, ReportedEvent

Events = Annotated[list[DecodedEvent], msgspec.Meta(min_length=1)]


class _Batch(msgspec.Struct, forbid_unknown_fields=True):
    events: Events


_DECODER: Final = msgspec.json.Decoder(_Batch)


def json_of(events: Sequence[DecodedEvent]) -> bytes:
    """Return the JSON of events, separated by commas.

    Raises ValueError if the model would change an event, or refuse all of them.
    """
    contents = []
    for event in events:
        if not event.message.isprintable():  # the model drops hidden characters
            raise ValueError("a message has to be cleaned")
        contents.append(event.content)
    if sum(map(len, contents)) > BATCH_BYTES:
        raise ValueError("a batch is too large")
    return b",".join(contents)


class EventBatchInput:
    """Reads a batch of events that is written as our own tables write it.

    Then the JSON of an event that was decoded is, byte for byte, what was sent.
    """

    model: Any = RecordGameEventInput

    def read(self, data: bytes) -> Sequence[ReportedEvent]:
        """Return the events of a batch. Raises ValueError: the model has to read it."""
        events = _DECODER.decode(data).events
        if b'{"events":[%b]}' % json_of(events) != data:
            raise ValueError("no JSON of our own tables")
        return events

    def of_model(self, message: TableEvent | TableEventBatch) -> Sequence[ReportedEvent]:
        """Return the events that the model has read."""
        return message.events if isinstance(message, TableEventBatch) else (message,)
