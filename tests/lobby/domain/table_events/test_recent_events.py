"""The newest events of a room are kept, as JSON where they came as JSON."""

import msgspec
from casino_contracts import TableEvent
from casino_lobby.domain.table_events.recent_events import RECENT_EVENTS, RecentEvents
from casino_lobby.domain.table_events.reported_event import DecodedEvent, ReportedEvent
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
