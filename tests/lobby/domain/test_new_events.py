"""Events are numbered by their table, or by arrival until the table numbers one."""

from collections.abc import Sequence
from typing import Any

import pytest
from casino_agentkit import CommandRefused
from casino_contracts import TableAgentSkills, TableEvent
from casino_lobby.domain.reported_event import ReportedEvent
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_fold import apply, fold, new_events
from support.table.table_side import config


def event(sequence: int | None, message: str = "", **more: Any) -> TableEvent:
    return TableEvent.model_validate(
        {
            "tableId": "t1",
            "eventType": "table_status",
            "message": message or f"event {sequence}",
            "timestamp": "now",
            "sequence": sequence,
            **more,
        }
    )


class Record:
    """A room and its recorded events, without a store."""

    def __init__(self, *, is_keyed: bool = False) -> None:
        self.room = Room("r1", "t1", config(), "texas-holdem", TableAgentSkills())
        self.room.is_keyed = is_keyed
        self.events: dict[int, ReportedEvent] = {}

    def take(self, *events: TableEvent) -> list[int | None]:
        """Record a batch; return the numbers of its new events."""
        taken, unnumbered = new_events(self.room, events, self.events)
        if unnumbered is not None:
            self.room.begin_numbering(unnumbered)
        for event in taken:
            assert event.sequence is not None
            self.events[event.sequence] = event
            apply(self.room, event)
        return [event.sequence for event in taken]

    def refusal(self, *events: TableEvent) -> CommandRefused:
        with pytest.raises(CommandRefused) as refused:
            self.take(*events)
        return refused.value

    def messages(self) -> list[str]:
        return [self.events[number].message for number in sorted(self.events)]


def test_a_table_that_never_numbers_is_numbered_by_arrival() -> None:
    record = Record()
    assert record.take(event(None, "a")) == [1]
    assert record.take(event(None, "a"), event(None, "b")) == [2, 3]
    assert record.room.unnumbered is None
    assert (record.room.table_sequence, record.room.numbered) == (3, 0)


def test_a_table_that_numbers_has_to_number_all() -> None:
    record = Record()
    record.take(event(1), event(2))
    assert record.refusal(event(None)).reason == "SEQUENCE_MISSING"
    assert record.refusal(event(3), event(None)).reason == "SEQUENCE_MISSING"
    assert record.take(event(3)) == [3]


@pytest.mark.parametrize("strays", [1, 2, 5])
def test_events_before_the_first_numbered_one_make_no_conflict(strays: int) -> None:
    """The table's events are recorded behind them, once each, and answered in its own numbers."""
    record = Record()
    for number in range(strays):
        assert record.take(event(None, f"stray {number}")) == [number + 1]
    own = [event(1), event(2), event(3)]
    assert record.take(*own[:2]) == [strays + 1, strays + 2]
    assert record.take(*own) == [strays + 3]  # delivered again, with one more
    assert record.take(*own) == []
    assert record.room.table_sequence == record.room.numbered == 3
    gap = record.refusal(event(7))
    assert (gap.reason, gap.details) == ("SEQUENCE_GAP", {"wanted": "4"})
    assert record.refusal(event(2, "other")).reason == "SEQUENCE_CONFLICT"
    assert record.refusal(event(None)).reason == "SEQUENCE_MISSING"
    assert record.take(event(4)) == [strays + 4]
    stray_messages = [f"stray {number}" for number in range(strays)]
    assert record.messages() == [*stray_messages, *(f"event {number}" for number in (1, 2, 3, 4))]


def test_a_table_whose_first_event_is_missing_is_asked_for_it() -> None:
    record = Record()
    record.take(event(None, "x"), event(None, "y"))
    gap = record.refusal(event(2))
    assert (gap.reason, gap.details) == ("SEQUENCE_GAP", {"wanted": "1"})
    assert record.take(event(1), event(2)) == [3, 4]


def test_the_numbering_is_stored_with_the_room() -> None:
    record = Record()
    record.take(event(None, "x"))
    record.take(event(1))
    record.room = Room.from_json(record.room.to_json())
    assert record.refusal(event(None)).reason == "SEQUENCE_MISSING"
    assert record.take(event(1), event(2)) == [3]


def test_a_reply_with_a_sequence_tells_it_before_the_first_event() -> None:
    record = Record()
    record.room.note_table_sequence(None)
    assert record.room.unnumbered is None
    record.room.note_table_sequence(0)
    assert record.refusal(event(None)).reason == "SEQUENCE_MISSING"
    late = Record()
    late.take(event(None))
    late.room.note_table_sequence(1)
    assert late.take(event(1)) == [2]


@pytest.mark.parametrize("batch", [[event(None)], [event(1)], [event(1, epoch=1), event(2)]])
def test_a_keyed_table_sends_sequence_and_epoch(batch: Sequence[TableEvent]) -> None:
    assert Record(is_keyed=True).refusal(*batch).reason == "SEQUENCE_MISSING"


@pytest.mark.parametrize("epoch", [1, 3])
def test_an_event_of_another_epoch_is_none_of_the_room(epoch: int) -> None:
    record = Record(is_keyed=True)
    record.room.number_anew(2)
    assert record.refusal(event(1, epoch=epoch)).reason == "STALE_EPOCH"
    assert record.take(event(1, epoch=2)) == [1]
    assert record.refusal(event(2, epoch=2), event(3, epoch=epoch)).reason == "STALE_EPOCH"
    assert record.messages() == ["event 1"]


def test_an_event_that_was_committed_without_confirmation_counts_once() -> None:
    room = Record().room
    completed = event(1, eventType="hand_completed", payload={"handNumber": 1})
    for events in ([completed], [completed], [completed, event(2)], [event(2)]):
        fold(room, events)
    assert (room.hand_count, room.last_sequence, len(room.recent)) == (1, 2, 2)
