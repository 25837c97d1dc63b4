"""Notable hands of a match, as the page replays them."""

from typing import Literal

from casino_contracts.base import WireModel
from casino_contracts.events.table_event import TableEvent
from casino_contracts.numbers import PositiveWhole, Whole
from casino_contracts.records import HandRecord


class MatchHand(WireModel):
    """A notable hand as the events that a table would have published, and with every card."""

    match_id: str
    hand_number: PositiveWhole
    deck: Whole
    seating: Whole
    kind: Literal["biggest", "decisive"]
    events: tuple[TableEvent, ...]
    record: HandRecord
