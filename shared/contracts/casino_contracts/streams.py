"""Data of the lobby's server-sent events, by `event:` name."""

from pydantic import Field

from casino_contracts.base import WireModel
from casino_contracts.events.table_event import TableEvent
from casino_contracts.lobby import RoomSnapshot, RoomSummary
from casino_contracts.numbers import Whole


class RoomStreamSnapshot(WireModel):
    """`snapshot` of a room's stream: includes every commit up to the cursor."""

    cursor: Whole
    room: RoomSnapshot


class LobbyStreamSnapshot(WireModel):
    """`snapshot` of the lobby's stream: includes every commit up to the cursor."""

    cursor: Whole
    rooms: tuple[RoomSummary, ...]


class StreamedEvent(WireModel):
    """`table_event`: one table event, in the lobby's commit order."""

    cursor: Whole
    room_id: str
    event: TableEvent


class StreamedRoom(WireModel):
    """`room_opened` and `room_closed`: the room's current summary."""

    room: RoomSummary


class Lagged(WireModel):
    """`lagged`: the client was too slow and is disconnected; it can resume after the cursor."""

    cursor: Whole
    message: str


class HandRecordMissing(WireModel):
    """`hand_record_missing`: the table could not provide the record of a completed hand."""

    hand_id: str
    reason: str = Field(description="A stable upper-case reason code.")
