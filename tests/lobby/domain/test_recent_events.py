"""The newest events of a room are kept, as JSON where they came as JSON."""

import sys

import msgspec
import pytest
from casino_contracts import TableEvent
from casino_contracts.events.table_event import EVENT_BYTES
from casino_lobby.domain.reported_event import (
    RECENT_BYTES,
    RECENT_EVENTS,
    DecodedEvent,
    RecentEvents,
    ReportedEvent,
)
from casino_lobby.domain.room_views import room_snapshot
from support.casino.store_side import EventFactory, new_room


def decoded(event: TableEvent) -> DecodedEvent:
    return msgspec.json.decode(event.wire(), type=DecodedEvent)


def test_both_kinds_of_events_are_read_alike() -> None:
    events = EventFactory(new_room()).some(4)
    kinds: list[ReportedEvent] = [decoded(events[0]), events[1], decoded(events[2]), events[3]]
    recent, plain = RecentEvents(), RecentEvents()
    recent.extend(kinds)
    plain.extend(events)
    assert list(recent) == events
    assert recent == plain
    assert recent != RecentEvents()


def test_the_oldest_are_forgotten() -> None:
    events = EventFactory(new_room()).some(RECENT_EVENTS + 3)
    recent = RecentEvents()
    recent.extend(map(decoded, events))
    assert list(recent) == events[3:]
    assert list(recent.newest(2)) == events[-2:]
    assert list(recent.newest(10_000)) == events[3:]
    recent.clear()
    assert not recent


def large(event: TableEvent) -> TableEvent:
    return event.model_copy(update={"payload": {"x": "y" * (EVENT_BYTES - 1_000)}})


def test_a_table_with_large_events_makes_no_large_snapshot() -> None:
    """As with every number of them: what is kept are the newest that fit, one at least."""
    events = EventFactory(new_room()).some(RECENT_EVENTS + 20)
    events[100:150] = map(large, events[100:150])
    for end in (90, 101, 105, 150, 152, 200, 220):
        at_once, one_by_one = RecentEvents(), RecentEvents()
        at_once.extend(map(decoded, events[max(0, end - RECENT_EVENTS) : end]))
        one_by_one.extend(events[:end])
        assert at_once == one_by_one
        kept = list(one_by_one)
        assert kept == events[end - len(kept) : end]
        assert sum(len(event.wire()) for event in kept) <= RECENT_BYTES
    assert len(list(one_by_one)) > 70
    only = RecentEvents(most_bytes=10)
    only.extend(events[:3])
    assert list(only) == events[2:3]


@pytest.mark.parametrize(
    ("most_bytes", "is_small"), [(RECENT_BYTES, True), (sys.maxsize, False)], ids=["on", "off"]
)
def test_the_limit_on_bytes_alone_keeps_a_snapshot_small(
    most_bytes: int, *, is_small: bool
) -> None:
    room = new_room()
    room.recent = RecentEvents(most_bytes)
    room.recent.extend(decoded(large(event)) for event in EventFactory(room).some(RECENT_EVENTS))
    assert (len(room_snapshot(room).wire()) < 640 * 1024) is is_small
