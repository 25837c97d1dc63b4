"""Taking a table's events: each once, in order, from the table that reigns."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence

from casino_agentkit import CommandRefused
from casino_contracts import TableEvent

from casino_lobby.domain.room import Room
from casino_lobby.store import Store


class EventIngest:
    """Takes one batch of a room at a time; `repeated` hears how many events were known already."""

    def __init__(self, store: Store, repeated: Callable[[int], None]) -> None:
        self._store = store
        self._repeated = repeated
        self._one_at_a_time: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def alone(self, room: Room) -> asyncio.Lock:
        """Return what keeps a room's batches, and the changes of its epoch, apart."""
        return self._one_at_a_time[room.room_id]

    def forget(self, room: Room) -> None:
        """Forget a room that takes no more events."""
        self._one_at_a_time.pop(room.room_id, None)

    async def record(self, room: Room, events: Sequence[TableEvent]) -> list[TableEvent]:
        """Keep what is new of a batch, and return it.

        Raises CommandRefused: those of `new_events`, and StoreFailed, after which it is to be sent
        again.
        """
        async with self.alone(room):
            accepted = await new_events(self._store, room, events)
            if accepted:
                await self._store.record(room, accepted)
            self._repeated(len(events) - len(accepted))
            return accepted


async def new_events(store: Store, room: Room, events: Sequence[TableEvent]) -> list[TableEvent]:
    """Return those of a batch that the lobby does not hold yet, every one numbered.

    What it holds with the same content is ignored.
    An event without sequence is numbered by arrival, where the table knows only the document.
    Raises CommandRefused: STALE_EPOCH, SEQUENCE_MISSING, SEQUENCE_CONFLICT, or SEQUENCE_GAP with
    the `wanted` sequence; then nothing of the batch is taken.
    """
    accepted: list[TableEvent] = []
    last = room.last_sequence
    known = await _known(store, room, events)
    for event in events:
        if event.epoch is not None and event.epoch != room.epoch:
            raise CommandRefused(
                "STALE_EPOCH",
                f"Table {room.table_id} is in epoch {room.epoch}, not {event.epoch}: stop.",
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
            known[last] = event
        elif event.sequence > last:
            raise CommandRefused(
                "SEQUENCE_GAP",
                f"Event {event.sequence} came before {last + 1}: send that first.",
                details={"wanted": str(last + 1)},
            )
        elif known.get(event.sequence, event) != event:
            raise CommandRefused(
                "SEQUENCE_CONFLICT",
                f"Event {event.sequence} of table {room.table_id} is held with other content.",
            )
    return accepted


async def _known(store: Store, room: Room, events: Sequence[TableEvent]) -> dict[int, TableEvent]:
    """Return what is held of the sequences of a batch."""
    repeated = [
        event.sequence
        for event in events
        if event.sequence and event.sequence <= room.last_sequence
    ]
    if not repeated:
        return {}
    first = min(repeated)
    held = await store.events(room, first - 1, max(repeated) - first + 1)
    return {event.sequence: event for event in held if event.sequence is not None}
