"""Players, sessions and hands are projected from the events."""

from casino_contracts import TableEvent
from casino_lobby.store import SqlStore
from support.casino.store_side import (
    EventFactory,
    fail_batch,
    new_room,
    on_both_databases,
    rows,
)

HANDS = (
    "SELECT epoch, hand_number, first_sequence, last_sequence, board, pot FROM hand"
    " ORDER BY epoch, hand_number"
)
SESSIONS = (
    "SELECT number, epoch, first_sequence, last_epoch, last_sequence, hands FROM session"
    " ORDER BY number"
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


class TestSessions:
    async def test_sessions_are_numbered_through_takeovers(self, store: SqlStore) -> None:
        await store.add(new_room())
        room = store.rooms()[0]
        factory = EventFactory(room)
        await one_by_one(
            store,
            [
                factory.status("started"),
                *factory.hand(1, {}, actions=0),
                factory.status("finished", "idle"),
                factory.status("started"),
                *factory.hand(2, {}, actions=0),
            ],
        )
        assert await rows(store, SESSIONS) == [(1, 1, 1, 1, 4, 1), (2, 1, 5, None, None, None)]
        factory.takes_over()
        await one_by_one(
            store, [*factory.hand(3, {}, actions=0), factory.status("finished", "idle")]
        )
        await one_by_one(
            store, [factory.status("started"), factory.tell("table_error", status="error")]
        )
        assert await rows(store, SESSIONS) == [
            (1, 1, 1, 1, 4, 1),
            (2, 1, 5, 2, 3, 2),
            (3, 2, 4, 2, 5, 0),
        ]

    async def test_a_whole_session_fits_into_one_batch(self, store: SqlStore) -> None:
        room = new_room()
        await store.add(room)
        factory = EventFactory(room)
        batch = [
            factory.status("started"),
            factory.status("finished"),
            factory.status("started"),
        ]
        await store.record(room, batch)
        assert await rows(store, SESSIONS) == [(1, 1, 1, 1, 2, 0), (2, 1, 3, None, None, None)]


class TestPlayers:
    @on_both_databases
    async def test_a_player_who_returns_is_updated(self, store: SqlStore) -> None:
        room = new_room()
        await store.add(room)
        factory = EventFactory(room)
        first = factory.registered("p0", agentCardUrl="http://old/")
        other = factory.registered("p1")
        again = factory.registered("p0", agentCardUrl="http://new/", seatNumber=3)
        await store.record(room, [first, other, again])
        found = await rows(
            store,
            "SELECT player_id, display_name, agent_card_url, seat_number, sequence FROM player"
            " ORDER BY player_id",
        )
        assert found == [("p0", "P0", "http://new/", 3, 1), ("p1", "P1", None, 0, 2)]
