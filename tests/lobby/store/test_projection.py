"""Players, sessions and hands, as the events tell them."""

from collections.abc import Awaitable, Callable

from casino_contracts import TableEvent
from casino_lobby.store import SqlStore
from casino_lobby.store.serialization import written
from support.casino.store_side import EventFactory, new_room, rows

OpenStore = Callable[[], Awaitable[SqlStore]]

HANDS = (
    "SELECT epoch, hand_number, first_sequence, last_sequence, board, pot FROM hand"
    " ORDER BY epoch, hand_number"
)
SESSIONS = (
    "SELECT number, epoch, first_sequence, last_epoch, last_sequence, hands FROM session"
    " ORDER BY number"
)


async def one_by_one(store: SqlStore, events: list[TableEvent]) -> None:
    """Record each event alone, as if the lobby had been started anew before each."""
    [room] = store.rooms()
    for event in events:
        store._projections.clear()
        await store.record(room, [event])


class TestHands:
    """Each exactly once."""

    async def test_a_completed_hand_is_a_row(self, store: SqlStore) -> None:
        """From its first event to its last, with board and pot."""
        room = new_room(smallBlind=0.5)
        await store.add(room)
        teller = EventFactory(room)
        told = [teller.registered("p0"), *teller.hand(1, {}), *teller.hand(2, {}, actions=0)]
        await store.record(room, told)
        assert await rows(store, HANDS) == [
            (1, 1, 2, 5, "Td 4s", 140),
            (1, 2, 6, 7, "Td 4s", 140),
        ]

    async def test_a_hand_may_go_over_batches_and_restarts(self, store: SqlStore) -> None:
        """Its beginning is remembered."""
        await store.add(new_room())
        await one_by_one(store, EventFactory(store.rooms()[0]).hand(7, {}))
        assert await rows(store, HANDS) == [(1, 7, 1, 4, "Td 4s", 14)]

    async def test_a_cancelled_hand_is_none(self, store: SqlStore) -> None:
        """And a hand whose beginning was not told has none; told twice, the first one counts."""
        room = new_room()
        await store.add(room)
        teller = EventFactory(room)
        cancelled = teller.hand(1, {})[:-1]
        teller.sequence -= 1
        await store.record(room, [*cancelled, teller.status("hand_cancelled", handNumber=1)])
        teller.takes_over()
        completed = teller.tell("hand_completed", handNumber=1)
        await store.record(room, [completed, teller.tell("hand_completed", handNumber=1)])
        assert await rows(store, HANDS) == [(2, 1, None, 1, "", None)]

    async def test_events_know_their_hand(self, store: SqlStore) -> None:
        """Where they are of one."""
        room = new_room()
        await store.add(room)
        teller = EventFactory(room)
        await store.record(room, [teller.registered("p0"), *teller.hand(3, {}, actions=1)])
        found = await rows(store, "SELECT event_type, hand_number FROM event ORDER BY cursor")
        assert found == [
            ("player_registered", None),
            ("hand_started", 3),
            ("action_taken", 3),
            ("hand_completed", 3),
        ]


class TestSessions:
    """From start to finish."""

    async def test_sessions_are_numbered_through_takeovers(self, store: SqlStore) -> None:
        """And count their hands, whatever happens in between."""
        await store.add(new_room())
        room = store.rooms()[0]
        teller = EventFactory(room)
        await one_by_one(
            store,
            [
                teller.status("started"),
                *teller.hand(1, {}, actions=0),
                teller.status("finished", "idle"),
                teller.status("started"),
                *teller.hand(2, {}, actions=0),
            ],
        )
        assert await rows(store, SESSIONS) == [(1, 1, 1, 1, 4, 1), (2, 1, 5, None, None, None)]
        teller.takes_over()
        await one_by_one(store, [*teller.hand(3, {}, actions=0), teller.status("finished", "idle")])
        await one_by_one(
            store, [teller.status("started"), teller.tell("table_error", status="error")]
        )
        assert await rows(store, SESSIONS) == [
            (1, 1, 1, 1, 4, 1),
            (2, 1, 5, 2, 3, 2),
            (3, 2, 4, 2, 5, 0),
        ]

    async def test_a_whole_session_fits_into_one_batch(self, store: SqlStore) -> None:
        """Beginning, end, and the next beginning."""
        room = new_room()
        await store.add(room)
        teller = EventFactory(room)
        told = [teller.status("started"), teller.status("finished"), teller.status("started")]
        await store.record(room, told)
        assert await rows(store, SESSIONS) == [(1, 1, 1, 1, 2, 0), (2, 1, 3, None, None, None)]


class TestPlayers:
    """Who has been here."""

    async def test_a_player_who_comes_again_has_moved(self, store: SqlStore) -> None:
        """When he was first seen stays."""
        room = new_room()
        await store.add(room)
        teller = EventFactory(room)
        first = teller.registered("p0", agentCardUrl="http://old/")
        other = teller.registered("p1")
        again = teller.registered("p0", agentCardUrl="http://new/", seatNumber=3)
        await store.record(room, [first, other, again])
        found = await rows(
            store,
            "SELECT player_id, display_name, agent_card_url, seat_number, sequence FROM player"
            " ORDER BY player_id",
        )
        assert found == [("p0", "P0", "http://new/", 3, 1), ("p1", "P1", None, 0, 2)]


class TestContent:
    """What is kept of an event is what the wire says."""

    def test_it_is_the_model_s_own_json(self) -> None:
        """Every field; none that has no value; numbers that no event may hold any more."""
        teller = EventFactory(new_room())
        full = teller.tell("action_taken", "ü ✓", playerId="p0", amount=0.5, nested=[{"a": None}])
        full = full.model_copy(update={"hand_id": "t/1"})
        assert set(full.model_dump()) == {field.alias for field in TableEvent.model_fields.values()}
        bare = TableEvent(table_id="t", event_type="table_error", message="", timestamp="now")
        huge = bare.model_copy(update={"payload": {"amount": 10**30}})
        for event in (full, bare, huge):
            assert written(event) == event.wire().decode()
