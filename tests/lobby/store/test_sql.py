"""Rooms and events outlast their process."""

from collections.abc import Awaitable, Callable

import pytest
from casino_lobby.domain.room import RECENT_EVENTS, Room
from casino_lobby.domain.room_views import room_snapshot
from casino_lobby.store import SqlStore, Store, StoreFailed
from casino_lobby.store.sql import SAVED_EVERY
from support.casino.store_side import EventFactory, new_room, numbers, rows

OpenStore = Callable[[], Awaitable[SqlStore]]


async def restarted(store: SqlStore, open_store: OpenStore) -> SqlStore:
    """Return the same lobby, started anew."""
    await store.close()
    return await open_store()


class TestRooms:
    """In memory and in SQL."""

    async def test_a_room_is_there_at_once(self, any_store: Store) -> None:
        """By its own id and by its table's; the oldest is first."""
        made = [new_room("r2"), new_room("r1")]
        for room in made:
            await any_store.add(room)
        assert any_store.room("r1") is made[1]
        assert any_store.room_of_table("t-r2") is made[0]
        assert any_store.rooms() == made
        await any_store.remove(made[0])
        assert any_store.room("r2") is None
        assert any_store.room_of_table("t-r2") is None

    async def test_a_restart_brings_rooms_back_as_they_were(
        self, store: SqlStore, open_store: OpenStore
    ) -> None:
        """The fold of their events, and what was saved beside it."""
        made = [new_room("r2", seed="s"), new_room("r1")]
        for room in made:
            await store.add(room)
        teller = EventFactory(made[0])
        await store.record(
            made[0],
            [
                teller.registered("p0"),
                teller.registered("p1", seatNumber=1, agentCardUrl="http://p1/"),
                teller.status("started"),
                *teller.hand(1, {"p0": 150, "p1": 250}),
            ],
        )
        made[1].table_card_url, made[1].message = "http://table/", "moved"
        await store.save(made[1])
        again = await restarted(store, open_store)
        assert again.rooms() == made
        assert again.rooms()[0] is not made[0]
        assert [room_snapshot(room) for room in again.rooms()] == [
            room_snapshot(room) for room in made
        ]
        assert again.rooms()[0].config.seed == "s"

    async def test_a_removed_room_is_gone_for_good(
        self, store: SqlStore, open_store: OpenStore
    ) -> None:
        """With what its table told already; its ids may be taken again."""
        room = new_room()
        await store.add(room)
        await store.record(room, [EventFactory(room).registered("p0")])
        await store.remove(room)
        with pytest.raises(StoreFailed, match="no room r1"):
            await store.record(room, [EventFactory(room).registered("p0")])
        for table in ("room", "event", "player", "ledger"):
            assert await rows(store, f"SELECT 1 FROM {table}") == []
        anew = new_room()
        await store.add(anew)
        await store.record(anew, [EventFactory(anew).registered("p0")])
        assert (await restarted(store, open_store)).rooms() == [anew]

    async def test_a_room_that_cannot_be_kept_is_not_there(self, store: SqlStore) -> None:
        """Neither in memory nor in SQL."""
        await store.add(new_room())
        other = new_room("r2")
        other.table_id = "t-r1"
        with pytest.raises(StoreFailed):
            await store.add(other)
        assert store.room("r2") is None
        assert await rows(store, "SELECT room_id FROM room") == [("r1",)]


class TestRecording:
    """Events, all of a batch or none."""

    async def test_what_is_recorded_is_folded(self, any_store: Store) -> None:
        """And can be read."""
        room = new_room()
        await any_store.add(room)
        teller = EventFactory(room)
        told = [teller.registered("p0"), teller.registered("p1")]
        await any_store.record(room, told)
        assert (list(room.seats), room.last_sequence) == (["p0", "p1"], 2)
        assert list(room.recent) == told
        assert await any_store.events(room, 0, 10) == told
        assert await any_store.balances("r1") == {
            "player:p0": 200,
            "player:p1": 200,
            "cashier": -400,
        }
        assert await any_store.balances("r2") == {}

    async def test_a_batch_that_fails_changes_nothing(
        self, store: SqlStore, open_store: OpenStore
    ) -> None:
        """Neither the room nor the books; and the same events can be sent again."""
        room = new_room()
        await store.add(room)
        teller = EventFactory(room)
        first, second = teller.registered("p0"), teller.registered("p1")
        await store.record(room, [first])
        with pytest.raises(StoreFailed):
            await store.record(room, [second, second])  # a number twice
        assert (room.last_sequence, list(room.seats)) == (1, ["p0"])
        assert await store.balances("r1") == {"player:p0": 200, "cashier": -200}
        assert await rows(store, "SELECT sequence FROM event") == [(1,)]
        await store.record(room, [second])
        assert await store.balances("r1") == {
            "player:p0": 200,
            "player:p1": 200,
            "cashier": -400,
        }
        assert (await restarted(store, open_store)).rooms() == [room]

    async def test_what_was_committed_unnoticed_is_found_before_the_next_batch(
        self, store: SqlStore, open_store: OpenStore
    ) -> None:
        """As after a connection that broke while its commit was on the way."""
        room = new_room()
        await store.add(room)
        teller = EventFactory(room)
        told = [teller.registered("p0"), teller.registered("p1"), *teller.some(1)]
        await store.record(room, told[:1])
        unaware = Room.from_json(room.to_json())
        await store.record(room, told[1:2])
        store._rooms["r1"] = unaware
        del store._projections["r1"]
        await store.record(unaware, told[1:])  # the table sends it again, and one more
        assert unaware.last_sequence == 3
        assert numbers(await store.events(unaware, 0, 10)) == [1, 2, 3]
        assert (await store.balances("r1"))["cashier"] == -400
        again = await restarted(store, open_store)
        assert again.rooms()[0].seats == room.seats

    async def test_an_event_that_nobody_understands_stops_nobody(
        self, store: SqlStore, open_store: OpenStore
    ) -> None:
        """A foreign table may write any payload; the lobby has to start again all the same."""
        room = new_room()
        await store.add(room)
        teller = EventFactory(room)
        strange = [
            teller.registered("p0", stack=-5),
            teller.registered("p1", seatNumber=-1),
            teller.registered("nul\0", displayName="\0", agentCardUrl="\0"),
            teller.registered("p2", displayName=7, seatNumber=2**53 - 1, stack=float(2**53 - 1)),
            teller.tell("player_registered"),
            *teller.hand(-1, {"p9": 2**53 - 1, "\0": 1}),
            teller.tell("hand_completed", handNumber=True, stacks=7, pots=[{"amount": []}, 3]),
            teller.tell("hand_completed", handNumber=3, communityCards=[{"rank": 3}, "As"]),
            teller.status("rebought"),
            teller.status("rebought", playerId="p0", amount="many"),
            teller.status("left", playerId=["p0"]),
            teller.tell("table_error", "\0"),
        ]
        await store.record(room, strange)
        assert room.last_sequence == len(strange)
        again = (await restarted(store, open_store)).rooms()[0]
        assert list(again.recent) == strange

    async def test_a_restart_finds_the_newest_events_once_each(
        self, store: SqlStore, open_store: OpenStore
    ) -> None:
        """Those before the room was saved, and those after."""
        room = new_room()
        await store.add(room)
        teller = EventFactory(room)
        await store.record(room, teller.some(SAVED_EVERY))
        await store.record(room, teller.some(70))
        again = await restarted(store, open_store)
        [(content,)] = await rows(again, "SELECT content FROM room")
        assert f'"last_sequence": {SAVED_EVERY}' in content  # the rest was folded anew
        found = again.rooms()[0]
        last = SAVED_EVERY + 70
        assert numbers(list(found.recent)) == list(range(last - RECENT_EVENTS + 1, last + 1))
        assert found == room

    async def test_a_restart_goes_back_over_a_takeover(
        self, store: SqlStore, open_store: OpenStore
    ) -> None:
        """The newest events are the room's, whichever table told them."""
        room = new_room()
        await store.add(room)
        teller = EventFactory(room)
        await store.record(room, [teller.registered("p0"), *teller.some(4)])
        teller.takes_over()
        await store.save(room)
        await store.record(room, teller.some(3))
        again = (await restarted(store, open_store)).rooms()[0]
        assert numbers(list(again.recent)) == [1, 2, 3, 4, 5, 1, 2, 3]
        assert again == room


class TestPages:
    """Reading back."""

    async def test_events_come_in_pages(self, any_store: Store) -> None:
        """After a sequence, so many at most."""
        room = new_room()
        await any_store.add(room)
        told = EventFactory(room).some(7)
        await any_store.record(room, told)
        assert await any_store.events(room, 0, 3) == told[:3]
        assert await any_store.events(room, 3, 3) == told[3:6]
        assert await any_store.events(room, 6, 3) == told[6:]
        assert await any_store.events(room, 7, 3) == []

    async def test_every_epoch_has_its_own(self, any_store: Store) -> None:
        """The room's own by default."""
        room = new_room()
        await any_store.add(room)
        teller = EventFactory(room)
        first = teller.some(3)
        await any_store.record(room, first)
        teller.takes_over()
        second = teller.some(2)
        await any_store.record(room, second)
        assert await any_store.events(room, 0, 9) == second
        assert await any_store.events(room, 0, 9, epoch=1) == first
        assert await any_store.events(room, 0, 9, epoch=3) == []
