"""What a table reports: facts in order, each exactly once, none with a card that was not shown."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag

from casino_contracts.base import TableTalk, WireModel, optional
from casino_contracts.free_json import FreeObject
from casino_contracts.names import ID_LIMIT
from casino_contracts.numbers import PositiveWhole, Whole

EVENT_BYTES = 64 * 1024
"""One event as JSON has at most so many bytes."""
BATCH_BYTES = 256 * 1024
"""The events of one batch together have at most so many bytes."""

_HAND_ID_LIMIT = ID_LIMIT + 32
"""Our tables' ids of hands are the table's id and a number."""
_TIMESTAMP_LIMIT = 128

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
    """One fact of a table; `payload` has the shape that `payloads` gives for its type.

    Peers that know only the protocol document know no limits: a message is cut, whatever else is
    too large is refused.
    """

    table_id: str = Field(max_length=ID_LIMIT)
    event_type: EventType
    message: TableTalk = Field(description="For people; cut at 500 characters.")
    timestamp: str = Field(max_length=_TIMESTAMP_LIMIT, description="ISO 8601, UTC.")
    payload: FreeObject | None = optional(
        description="Nested at most 32 levels deep; numbers within ±(2^53 - 1)."
    )
    sequence: PositiveWhole | None = optional(
        description="1, 2, 3 … per table and epoch, without a gap."
    )
    epoch: PositiveWhole | None = optional()
    hand_id: str | None = optional(max_length=_HAND_ID_LIMIT)


def _small_enough(events: tuple[TableEvent, ...]) -> tuple[TableEvent, ...]:
    if sum(len(event.wire()) for event in events) > BATCH_BYTES:
        raise ValueError(f"must have at most {BATCH_BYTES} bytes in all: send fewer at a time")
    return events


class TableEventBatch(WireModel):
    """Events in their order: each at most 64 KiB as JSON, all at most 256 KiB."""

    events: Annotated[tuple[TableEvent, ...], Field(min_length=1), AfterValidator(_small_enough)]


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
"""The input of `recordGameEvent`: one event, or a batch."""


class RecordGameEventOutput(WireModel):
    """The lobby holds everything up to and including `sequence`."""

    ok: Literal[True] = True
    sequence: Whole | None = optional()
