"""Old events and hands are deleted, and a restart loads the same as before."""

from typing import Any

import pytest
from casino_lobby.domain.reported_event import RECENT_EVENTS
from casino_lobby.domain.room import Room
from casino_lobby.errors import TooFarBehind
from casino_lobby.store import SqlStore, StoreFailed, projection
from casino_lobby.store.lobby_store import Place
from support.casino.store_side import (
    EventFactory,
    OpenStore,
    delete_hands,
    new_room,
    numbers,
    on_both_databases,
    played,
    rows,
)


async def loaded(store: SqlStore) -> dict[str, Any]:
    """Return what a restart loads of a room."""
    async with store.database.reading() as connection:
        (stored,) = (await projection.load_rooms(connection, store.unreadable)).rooms
    return {"room": stored.to_json(), "recent": list(stored.recent)}


async def is_sound(store: SqlStore, room: Room) -> None:
    """Check that every stored hand has all its events, and that no event stands alone."""
    hands = await store.hands.page(room, None, 1_000)
    [(count,)] = await rows(store, "SELECT count(*) FROM hand")
    assert len(hands) == count
    for hand in hands:
        assert hand.first_sequence is not None
        last = hand.completed.sequence or 0
        expected = list(range(hand.first_sequence, last + 1))
        events = await store.events(
            room, hand.first_sequence - 1, len(expected), epoch=hand.key.epoch
        )
        assert numbers(events) == expected
    first = (hands[0].key.epoch, hands[0].first_sequence)
    assert await store.retention.kept_from(room) == first
    assert store.unreadable.counts() == {}


async def play(store: SqlStore) -> Room:
    """Play 150 hands of a session in two epochs; another session is over before it."""
    room, factory = await played(store, hands=20)
    await store.record(room, [factory.status("finished", "idle"), factory.registered("p2")])
    await store.record(room, [factory.status("started")])
    for number in range(21, 120):
        await store.record(
            room, factory.hand(number, {"p0": 100, "p1": 300 - number, "p2": 200 + number})
        )
    factory.takes_over()
    await store.save(room)
    for number in range(120, 151):
        await store.record(
            room, factory.hand(number, {"p0": number, "p1": 300 - number, "p2": 300})
        )
    await store.record(room, [factory.tell("hand_started", handNumber=151)])
    return room


@on_both_databases
@pytest.mark.parametrize("most", [2_000, 90])
async def test_a_restart_loads_the_same(store: SqlStore, open_store: OpenStore, most: int) -> None:
    room = await play(store)
    await store.save(room)
    before = await loaded(store)
    kept = await store.retention.first_kept(room, 100)
    assert kept == Place(1, 4 + 20 * 4 + 3 + 30 * 4)  # hand 51 begins
    commits = []
    while deleted := await store.retention.delete_before(room, kept, most):
        commits.append(deleted)
        assert await loaded(store) == before
        await is_sound(store, room)
    assert sum(commits) == kept.sequence - 1
    assert max(commits) <= most
    assert [hand.key.number for hand in await store.hands.page(room, None, 1)] == [51]
    assert await store.retention.stored_hands(room) == 100
    await store.close()
    again = await open_store()
    (restarted,) = again.rooms()
    assert restarted.to_json() == before["room"]
    assert await loaded(again) == before
    assert (
        again.retention.oldest_cursor(restarted)
        == again.retention.oldest_cursor()
        == kept.sequence - 1
    )


async def test_a_session_may_be_longer_than_what_is_kept(store: SqlStore) -> None:
    room, factory = await played(store, hands=120)
    for number in range(121, 500):
        await store.record(room, factory.hand(number, {"p0": 200, "p1": 200}))
        if number % 90 == 0:
            await delete_hands(store, room, 100)
            await is_sound(store, room)
            assert await store.retention.stored_hands(room) == 100


async def test_nothing_is_deleted_that_is_not_saved(store: SqlStore) -> None:
    """A restart would apply it."""
    room, _ = await played(store, hands=150)
    kept = await store.retention.first_kept(room, 100)
    assert kept is not None
    with pytest.raises(StoreFailed, match="is not saved"):
        await store.retention.delete_before(room, kept)
    assert await rows(store, "SELECT count(*) FROM event") == [(603,)]
    assert await rows(store, "SELECT count(*) FROM hand") == [(150,)]
    assert store.retention.oldest_cursor(room) == 0
    assert await store.retention.kept_from(room) is None


async def test_too_few_hands_stay(store: SqlStore) -> None:
    room, _ = await played(store, hands=99)
    assert await store.retention.first_kept(room, 100) is None
    assert await store.retention.stored_hands(room) == 99


async def test_the_newest_events_stay(store: SqlStore) -> None:
    """A snapshot shows more of them than a hundred hands of a single event have."""
    room = new_room()
    await store.add(room)
    factory = EventFactory(room)
    for number in range(1, 501):
        await store.record(room, [factory.tell("hand_completed", handNumber=number)])
    commits = await delete_hands(store, room, 100)
    assert sum(commits) == 500 - RECENT_EVENTS
    async with store.database.reading() as connection:
        (stored,) = (await projection.load_rooms(connection, store.unreadable)).rooms
    assert numbers(list(stored.recent)) == list(range(301, 501))


async def test_other_rooms_keep_everything(store: SqlStore, open_store: OpenStore) -> None:
    other, _ = await played(store, "r0", hands=3)
    room, _ = await played(store, hands=150)
    await delete_hands(store, room, 100)
    assert store.retention.oldest_cursor(other) == 0
    assert store.retention.oldest_cursor() == store.retention.oldest_cursor(room) == 15 + 203
    assert await store.retention.kept_from(other) is None
    assert len(await store.events(other, 0, 1_000)) == 15
    assert len(await store.committed(0, 1_000, other)) == 15
    await store.close()
    again = await open_store()
    assert [again.retention.oldest_cursor(one) for one in again.rooms()] == [0, 218]


async def test_a_hand_is_deleted_at_once(store: SqlStore) -> None:
    room, _ = await played(store, hands=103)
    assert await delete_hands(store, room, 100, most=1) == [3, 4, 4, 4]


async def test_a_page_is_refused_if_the_database_has_deleted_some_of_it(store: SqlStore) -> None:
    """Also before the lobby that reads has learned of it."""
    room, _ = await played(store, hands=150)
    other, _ = await played(store, "r2", hands=1)
    await delete_hands(store, room, 100)
    store._book.deleted.__init__()  # type: ignore[misc]
    assert store.retention.oldest_cursor(room) == 0
    for after in (0, 202):
        with pytest.raises(TooFarBehind):
            await store.committed(after, 10, room)
        with pytest.raises(TooFarBehind):
            await store.committed(after, 10)
    assert len(await store.committed(203, 10, room)) == 10
    assert len(await store.committed(203, 10)) == 10
    assert len(await store.committed(0, 10, other)) == 7
