"""Ingest of table events: deduplicated, in sequence, of the current epoch only."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence

from casino_lobby.domain.lobby_events import EventsRepeated, MessageBus
from casino_lobby.domain.new_events import new_events
from casino_lobby.domain.reported_event import ReportedEvent
from casino_lobby.domain.room import Room
from casino_lobby.store import Store


class EventIngest:
    """Ingests one batch of a room at a time; publishes `EventsRepeated`."""

    def __init__(self, store: Store, bus: MessageBus) -> None:
        self._store = store
        self._bus = bus
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def lock(self, room: Room) -> asyncio.Lock:
        """Return the lock that serializes a room's batches and epoch changes."""
        return self._locks[room.room_id]

    def forget(self, room: Room) -> None:
        """Release the lock of a room that takes no more events."""
        self._locks.pop(room.room_id, None)

    async def record(self, room: Room, events: Sequence[ReportedEvent]) -> list[ReportedEvent]:
        """Record the new events of a batch and return them.

        Raises CommandRefused: as `new_events`, and StoreFailed, after which the table has to
        deliver the batch again.
        """
        async with self.lock(room):
            recorded = await _recorded_events(self._store, room, events)
            accepted, unnumbered = new_events(room, events, recorded)
            if unnumbered is not None and room.unnumbered is None:
                room.begin_numbering(unnumbered)
                await self._store.save(room)  # the events alone do not say who numbered them
            if accepted:
                await self._store.record(room, accepted)
            if repeated := len(events) - len(accepted):
                self._bus.publish(EventsRepeated(repeated))
            return accepted


async def _recorded_events(
    store: Store, room: Room, events: Sequence[ReportedEvent]
) -> dict[int, ReportedEvent]:
    """Return the recorded events that have the numbers of a batch, by sequence."""
    before = room.unnumbered or 0
    repeated = [
        event.sequence + before
        for event in events
        if event.sequence and event.sequence + before <= room.last_sequence
    ]
    if not repeated:
        return {}
    first = min(repeated)
    recorded = await store.events(room, first - 1, max(repeated) - first + 1)
    return {event.sequence: event for event in recorded if event.sequence is not None}
