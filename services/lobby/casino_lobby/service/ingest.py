"""Ingest of table events: deduplicated, in sequence, of the current epoch only."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence

from casino_agentkit import CommandRefused
from casino_contracts import TableEvent

from casino_lobby.domain.room import Room
from casino_lobby.store import Store


class EventIngest:
    """Ingests one batch of a room at a time.

    `repeated` is called with the number of events in a batch that were recorded before.
    """

    def __init__(self, store: Store, repeated: Callable[[int], None]) -> None:
        self._store = store
        self._repeated = repeated
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def alone(self, room: Room) -> asyncio.Lock:
        """Return the lock that serializes a room's batches and epoch changes."""
        return self._locks[room.room_id]

    def forget(self, room: Room) -> None:
        """Release the lock of a room that takes no more events."""
        self._locks.pop(room.room_id, None)

    async def record(self, room: Room, events: Sequence[TableEvent]) -> list[TableEvent]:
        """Record the new events of a batch and return them.

        Raises CommandRefused: as `new_events`, and StoreFailed, after which the table has to
        deliver the batch again.
        """
        async with self.alone(room):
            accepted = await new_events(self._store, room, events)
            if accepted:
                await self._store.record(room, accepted)
            self._repeated(len(events) - len(accepted))
            return accepted


async def new_events(store: Store, room: Room, events: Sequence[TableEvent]) -> list[TableEvent]:
    """Return the events of a batch that are not recorded yet, each with a sequence.

    Recorded events with the same content are ignored. An event without a sequence is numbered in
    order of arrival, if its table does not use the room key.
    Raises CommandRefused: STALE_EPOCH, SEQUENCE_MISSING, SEQUENCE_CONFLICT, or SEQUENCE_GAP with
    the `wanted` sequence; then no event of the batch is accepted.
    """
    accepted: list[TableEvent] = []
    last = room.last_sequence
    stored = await _stored_events(store, room, events)
    for event in events:
        if event.epoch is not None and event.epoch != room.epoch:
            raise CommandRefused(
                "STALE_EPOCH",
                f"Table {room.table_id} is in epoch {room.epoch}, not {event.epoch}: stop sending.",
            )
        if room.is_keyed and (event.sequence is None or event.epoch is None):
            raise CommandRefused(
                "SEQUENCE_MISSING",
                f"Table {room.table_id} numbers its events: send sequence and epoch with each.",
            )
        if event.sequence is None:
            last += 1
            accepted.append(event.model_copy(update={"sequence": last, "epoch": room.epoch}))
        elif event.sequence == last + 1:
            last = event.sequence
            accepted.append(event)
            stored[last] = event
        elif event.sequence > last:
            raise CommandRefused(
                "SEQUENCE_GAP",
                f"Event {event.sequence} arrived before {last + 1}: send {last + 1} first.",
                details={"wanted": str(last + 1)},
            )
        elif stored.get(event.sequence, event) != event:
            raise CommandRefused(
                "SEQUENCE_CONFLICT",
                f"Event {event.sequence} of table {room.table_id} was recorded with other content.",
            )
    return accepted


async def _stored_events(
    store: Store, room: Room, events: Sequence[TableEvent]
) -> dict[int, TableEvent]:
    """Return the recorded events with sequences of a batch, by sequence."""
    repeated = [
        event.sequence
        for event in events
        if event.sequence and event.sequence <= room.last_sequence
    ]
    if not repeated:
        return {}
    first = min(repeated)
    recorded = await store.events(room, first - 1, max(repeated) - first + 1)
    return {event.sequence: event for event in recorded if event.sequence is not None}
