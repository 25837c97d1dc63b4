"""What a table reports: facts in order, each exactly once, none with a card that was not shown."""

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from casino_contracts.base import WireModel, optional
from casino_contracts.numbers import PositiveWhole, Whole

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
    """One fact of a table; `payload` has the shape that `payloads` gives for its type."""

    table_id: str
    event_type: EventType
    message: str
    timestamp: str = Field(description="ISO 8601, UTC.")
    payload: dict[str, Any] | None = optional()
    sequence: PositiveWhole | None = optional(
        description="1, 2, 3 … per table and epoch, without a gap."
    )
    epoch: PositiveWhole | None = optional()
    hand_id: str | None = optional()


class TableEventBatch(WireModel):
    """Events in their order, at most 256 KiB in all."""

    events: Annotated[tuple[TableEvent, ...], Field(min_length=1)]


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
