"""Rooms and events survive a restart."""

import pytest
from casino_lobby.domain.reported_event import RECENT_EVENTS
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_views import room_snapshot
from casino_lobby.store import SqlStore, Store, StoreFailed
from casino_lobby.store.sql_store import SAVED_EVERY
from support.casino.store_side import (
    EventFactory,
    OpenStore,
    new_room,
    numbers,
    on_both_databases,
    rows,
)


async def restarted(store: SqlStore, open_store: OpenStore) -> SqlStore:
    await store.close()
    return await open_store()


class TestRooms:
    async def test_a_room_is_found_by_both_ids(self, any_store: Store) -> None:
        made = [new_room("r2"), new_room("r1")]
        for room in made:
            await any_store.add(room)
        assert any_store.room("r1") is made[1]
        assert any_store.room_of_table("t-r2") is made[0]
        assert any_store.rooms() == made
        await any_store.remove(made[0])
        assert any_store.room("r2") is None
        assert any_store.room_of_table("t-r2") is None

    @on_both_databases
    async def test_a_restart_restores_rooms(self, store: SqlStore, open_store: OpenStore) -> None:
        made = [new_room("r2", seed="s"), new_room("r1")]
        for room in made:
            await store.add(room)
        factory = EventFactory(made[0])
        await store.record(
            made[0],
            [
                factory.registered("p0"),
                factory.registered("p1", seatNumber=1, agentCardUrl="http://p1/"),
                factory.status("started"),
                *factory.hand(1, {"p0": 150, "p1": 250}),
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

    async def test_faults_of_players_survive_a_restart(
        self, store: SqlStore, open_store: OpenStore
    ) -> None:
        room = new_room()
        await store.add(room)
        factory = EventFactory(room)
        for number in range(1, 4):
            act = {"handNumber": number, "playerId": "p0", "action": "fold", "outcome": "malformed"}
            await store.record(room, [factory.tell("action_taken", **act, reason=f"why {number}")])
            if number == 2:
                await store.save(room)
        again = (await restarted(store, open_store)).rooms()[0]
        assert [fault.reason for fault in again.faults.newest("p0")] == ["why 3", "why 2", "why 1"]
        assert again.faults.counts("r1", "p0").outcomes == {"malformed": 3}

    async def test_a_removed_room_frees_its_ids(
        self, store: SqlStore, open_store: OpenStore
    ) -> None:
        room = new_room()
        await store.add(room)
        await store.record(room, [EventFactory(room).registered("p0")])
        await store.remove(room)
        with pytest.raises(StoreFailed, match="no room r1"):
            await store.record(room, [EventFactory(room).registered("p0")])
        for table in ("room", "event"):
            assert await rows(store, f"SELECT 1 FROM {table}") == []
        anew = new_room()
        await store.add(anew)
        await store.record(anew, [EventFactory(anew).registered("p0")])
        assert (await restarted(store, open_store)).rooms() == [anew]


class TestRecording:
    """A batch of events is recorded as a whole or not at all."""

    @on_both_databases
    async def test_a_batch_that_fails_changes_nothing(
        self, store: SqlStore, open_store: OpenStore
    ) -> None:
        room = new_room()
        await store.add(room)
        factory = EventFactory(room)
        first, second = factory.registered("p0"), factory.registered("p1")
        await store.record(room, [first])
        with pytest.raises(StoreFailed):
            await store.record(room, [second, second])  # a number twice
        assert (room.last_sequence, list(room.seats)) == (1, ["p0"])
        assert room.ledger.balances == {"player:p0": 200, "cashier": -200}
        assert await rows(store, "SELECT sequence FROM event") == [(1,)]
        await store.record(room, [second])
        assert room.ledger.balances == {
            "player:p0": 200,
            "player:p1": 200,
            "cashier": -400,
        }
        assert (await restarted(store, open_store)).rooms() == [room]

    async def test_an_unconfirmed_commit_is_read_before_the_next_batch(
        self, store: SqlStore, open_store: OpenStore
    ) -> None:
        """As after a connection that broke during a commit."""
        room = new_room()
        await store.add(room)
        factory = EventFactory(room)
        batch = [factory.registered("p0"), factory.registered("p1"), *factory.some(1)]
        await store.record(room, batch[:1])
        unaware = Room.from_json(room.to_json())
        await store.record(room, batch[1:2])
        store._book.keep(unaware, None)
        store._current.remove("r1")
        await store.record(unaware, batch[1:])  # the table sends it again, and one more
        assert unaware.last_sequence == 3
        assert numbers(await store.events(unaware, 0, 10)) == [1, 2, 3]
        assert unaware.ledger.balances["cashier"] == -400
        again = await restarted(store, open_store)
        assert again.rooms()[0].seats == room.seats

    @on_both_databases
    async def test_events_with_unknown_payloads_are_recorded(
        self, store: SqlStore, open_store: OpenStore
    ) -> None:
        """Other tables may send any payload; the lobby starts again nevertheless."""
        room = new_room()
        await store.add(room)
        factory = EventFactory(room)
        strange = [
            factory.registered("p0", stack=-5),
            factory.registered("p1", seatNumber=-1),
            factory.registered("nul\0", displayName="\0", agentCardUrl="\0"),
            factory.registered("p2", displayName=7, seatNumber=2**53 - 1, stack=float(2**53 - 1)),
            factory.tell("player_registered"),
            *factory.hand(-1, {"p9": 2**53 - 1, "\0": 1}),
            factory.tell("hand_completed", handNumber=True, stacks=7, pots=[{"amount": []}, 3]),
            factory.tell("hand_completed", handNumber=3, communityCards=[{"rank": 3}, "As"]),
            factory.status("rebought"),
            factory.status("rebought", playerId="p0", amount="many"),
            factory.status("left", playerId=["p0"]),
            factory.tell("table_error", "\0"),
        ]
        await store.record(room, strange)
        assert room.last_sequence == len(strange)
        again = (await restarted(store, open_store)).rooms()[0]
        assert list(again.recent) == strange

    async def test_a_restart_finds_the_newest_events_once_each(
        self, store: SqlStore, open_store: OpenStore
    ) -> None:
        room = new_room()
        await store.add(room)
        factory = EventFactory(room)
        await store.record(room, factory.some(SAVED_EVERY))
        await store.record(room, factory.some(70))
        again = await restarted(store, open_store)
        [(content,)] = await rows(again, "SELECT content FROM room")
        assert f'"last_sequence": {SAVED_EVERY}' in content  # the rest was folded anew
        found = again.rooms()[0]
        last = SAVED_EVERY + 70
        assert numbers(list(found.recent)) == list(range(last - RECENT_EVENTS + 1, last + 1))
        assert found == room


class TestPages:
    async def test_events_come_in_pages(self, every_store: Store) -> None:
        room = new_room()
        await every_store.add(room)
        batch = EventFactory(room).some(7)
        await every_store.record(room, batch)
        assert await every_store.events(room, 0, 3) == batch[:3]
        assert await every_store.events(room, 3, 3) == batch[3:6]
        assert await every_store.events(room, 6, 3) == batch[6:]
        assert await every_store.events(room, 7, 3) == []

    async def test_every_epoch_has_its_own_sequences(self, any_store: Store) -> None:
        room = new_room()
        await any_store.add(room)
        factory = EventFactory(room)
        first = factory.some(3)
        await any_store.record(room, first)
        factory.takes_over()
        second = factory.some(2)
        await any_store.record(room, second)
        assert await any_store.events(room, 0, 9) == second
        assert await any_store.events(room, 0, 9, epoch=1) == first
        assert await any_store.events(room, 0, 9, epoch=3) == []


async def test_owners_of_names_are_kept(open_store: OpenStore) -> None:
    store = await open_store()
    assert await store.names.all() == {}
    await store.names.own("ada", "key 1")
    await store.names.own("ёж 😀", "key 2")
    assert await store.names.all() == {"ada": "key 1", "ёж 😀": "key 2"}
    await store.close()
    again = await open_store()
    assert await again.names.all() == {"ada": "key 1", "ёж 😀": "key 2"}
