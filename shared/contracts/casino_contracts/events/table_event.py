"""Table events: ordered, each exactly once, without unshown cards."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag

from casino_contracts.base import TableTalk, WireModel, optional
from casino_contracts.free_json import FreeObject
from casino_contracts.names import ID_LIMIT
from casino_contracts.numbers import PositiveWhole, Whole

EVENT_BYTES = 64 * 1024
"""Maximum size of one event as JSON, in bytes."""
BATCH_BYTES = 256 * 1024
"""Maximum total size of the events of one batch, in bytes."""

HAND_ID_LIMIT = ID_LIMIT + 32
"""Table agents of this project form a hand's id from the table's id and a number."""
TIMESTAMP_LIMIT = 128

EventType = Literal[
    "player_registered",
    "hand_started",
    "action_taken",
    "hand_completed",
    "player_busted",
    "table_error",
    "table_status",
]


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
