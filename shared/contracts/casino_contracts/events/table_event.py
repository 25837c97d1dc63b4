"""Table events: ordered, each exactly once, without unshown cards; and their delivery."""

from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag

from casino_contracts.base import ID_LIMIT, FreeObject, TableTalk, Token, WireModel, optional
from casino_contracts.events.content import EventType
from casino_contracts.numbers import PositiveWhole, Whole
from casino_contracts.table_commands import WaitList

EVENT_BYTES = 64 * 1024  # maximum size of one event as JSON, in bytes
BATCH_BYTES = 256 * 1024  # maximum total size of the events of one batch, in bytes

HAND_ID_LIMIT = ID_LIMIT + 32
"""Table agents of this project form a hand's id from the table's id and a number."""
TIMESTAMP_LIMIT = 128


class TableEvent(WireModel):
    """One event of a table; its type determines the model of `payload`.

    The protocol document sets no limits. Here, a message that is too long is cut; any other field
    that is too large is refused.
    """

    table_id: str = Field(max_length=ID_LIMIT)
    event_type: EventType
    message: TableTalk = Field(description="For people; cut at 500 characters.")
    timestamp: str = Field(max_length=TIMESTAMP_LIMIT, description="ISO 8601, UTC.")
    payload: FreeObject | None = optional(
        description="Nested at most 32 levels deep; numbers within ±(2^53 - 1)."
    )
    sequence: PositiveWhole | None = optional(
        description="1, 2, 3 … per table and epoch, without gaps."
    )
    epoch: PositiveWhole | None = optional()
    hand_id: str | None = optional(max_length=HAND_ID_LIMIT)


class EventPlace(WireModel):
    """The place of an event in its room; places are ordered by `epoch`, then by `sequence`."""

    epoch: PositiveWhole
    sequence: PositiveWhole


def _small_enough(events: tuple[TableEvent, ...]) -> tuple[TableEvent, ...]:
    if sum(len(event.wire()) for event in events) > BATCH_BYTES:
        raise ValueError(f"must have at most {BATCH_BYTES} bytes in all: send fewer at a time")
    return events


BatchEvents = Annotated[tuple[TableEvent, ...], Field(min_length=1), AfterValidator(_small_enough)]
"""Events in order: each at most 64 KiB as JSON, all together at most 256 KiB."""


class TableEventBatch(WireModel):
    """Events in order: each at most 64 KiB as JSON, all together at most 256 KiB."""

    events: BatchEvents


def _kind(data: Any) -> str:
    return (
        "batch"
        if isinstance(data, TableEventBatch) or (isinstance(data, dict) and "events" in data)
        else "event"
    )


RecordGameEventInput = Annotated[
    Annotated[TableEventBatch, Tag("batch")] | Annotated[TableEvent, Tag("event")],
    Discriminator(_kind),
]
"""Input of `recordGameEvent`: one event or a batch."""


class RecordGameEventOutput(WireModel):
    """The lobby has stored every event up to and including `sequence`."""

    ok: Literal[True] = True
    sequence: Whole | None = optional()


DELIVERY_TABLES: Final = 100  # maximum number of tables of one delivery


class TableDelivery(WireModel):
    """Events of one table in order, with the limits of a batch of `recordGameEvent`."""

    room_token: Token | None = optional(
        repr=False,
        description="The `events` token of the room and epoch; absent: that of the call itself.",
    )
    events: BatchEvents
    waits: WaitList | None = optional(
        description="Why the table does not go on; empty: it does. Absent: as it said before."
    )


class RecordTableEventsInput(WireModel):
    """Events of several tables (`recordTableEvents`); each table's part is judged by itself."""

    tables: Annotated[tuple[TableDelivery, ...], Field(min_length=1, max_length=DELIVERY_TABLES)]


class DeliveryRefused(WireModel):
    """Why no event of a part is recorded: as `recordGameEvent` would have refused it."""

    reason: str
    message: str
    details: dict[str, str] | None = optional(
        description="Further values for programs, such as `wanted` of SEQUENCE_GAP."
    )


class DeliveryOutcome(WireModel):
    """What became of the events of one table; exactly one of the fields is present."""

    sequence: Whole | None = optional(
        description="Every event of the table up to and including this one is stored."
    )
    refused: DeliveryRefused | None = optional()


class RecordTableEventsOutput(WireModel):
    """One outcome for each table of the input, in its order."""

    tables: tuple[DeliveryOutcome, ...]
