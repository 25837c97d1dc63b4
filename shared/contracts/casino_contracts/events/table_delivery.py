"""Delivery of the events of several tables in one call: `recordTableEvents`.

An addition to the protocol document, for processes that host several tables.
"""

from typing import Annotated, Final

from pydantic import Field

from casino_contracts.base import Token, WireModel, optional
from casino_contracts.events.table_event import BatchEvents
from casino_contracts.numbers import Whole

DELIVERY_TABLES: Final = 100
"""Maximum number of tables of one delivery."""


class TableDelivery(WireModel):
    """Events of one table in order, with the limits of a batch of `recordGameEvent`."""

    room_token: Token | None = optional(
        repr=False,
        description="The `events` token of the room and epoch; absent: that of the call itself.",
    )
    events: BatchEvents


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
