"""The data of the lobby's server-sent events, by their `event:` name."""

from pydantic import Field

from casino_contracts.base import WireModel
from casino_contracts.events import TableEvent
from casino_contracts.lobby import RoomSnapshot, RoomSummary
from casino_contracts.numbers import Whole


class RoomStreamSnapshot(WireModel):
    """`snapshot` of a room's stream: all that was committed up to the cursor is in it."""

    cursor: Whole
    room: RoomSnapshot


class LobbyStreamSnapshot(WireModel):
    """`snapshot` of the lobby's stream."""

    cursor: Whole
    rooms: tuple[RoomSummary, ...]


class StreamedEvent(WireModel):
    """`table_event`: one fact, in the order in which the lobby committed it."""

    cursor: Whole
    room_id: str
    event: TableEvent


class StreamedRoom(WireModel):
    """`room_opened` and `room_closed`: a room as it stands now."""

    room: RoomSummary


class Lagged(WireModel):
    """`lagged`: the reader was too slow and is let go; go on after the cursor."""

    cursor: Whole
    message: str


class HandRecordMissing(WireModel):
    """`hand_record_missing`: the table could not give the record of a hand that is over."""

    hand_id: str
    reason: str = Field(description="A stable upper-case word.")
