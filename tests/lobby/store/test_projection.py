"""Completed hands are projected from the events."""

from casino_contracts import TableEvent
from casino_lobby.store import SqlStore
from support.casino.store_side import (
    EventFactory,
    fail_batch,
    new_room,
    rows,
)

HANDS = (
    "SELECT epoch, hand_number, first_sequence, last_sequence, board, pot FROM hand"
    " ORDER BY epoch, hand_number"
)


async def one_by_one(store: SqlStore, events: list[TableEvent]) -> None:
    """Record each event alone; before each, the room is read again as after a restart."""
    [room] = store.rooms()
    for event in events:
        await fail_batch(store, room)
        await store.record(room, [event])


class TestHands:
    async def test_a_completed_hand_is_a_row(self, store: SqlStore) -> None:
        room = new_room(smallBlind=0.5)
        await store.add(room)
        factory = EventFactory(room)
        batch = [factory.registered("p0"), *factory.hand(1, {}), *factory.hand(2, {}, actions=0)]
        await store.record(room, batch)
        assert await rows(store, HANDS) == [
            (1, 1, 2, 5, "Td 4s", 140),
            (1, 2, 6, 7, "Td 4s", 140),
        ]

    async def test_a_hand_may_span_batches_and_restarts(self, store: SqlStore) -> None:
        await store.add(new_room())
        await one_by_one(store, EventFactory(store.rooms()[0]).hand(7, {}))
        assert await rows(store, HANDS) == [(1, 7, 1, 4, "Td 4s", 14)]

    async def test_a_cancelled_hand_is_no_row(self, store: SqlStore) -> None:
        room = new_room()
        await store.add(room)
        factory = EventFactory(room)
        cancelled = factory.hand(1, {})[:-1]
        factory.sequence -= 1
        await store.record(room, [*cancelled, factory.status("hand_cancelled", handNumber=1)])
        factory.takes_over()
        completed = factory.tell("hand_completed", handNumber=1)
        await store.record(room, [completed, factory.tell("hand_completed", handNumber=1)])
        assert await rows(store, HANDS) == [(2, 1, None, 1, "", None)]
