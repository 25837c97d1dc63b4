"""A stream never skips events that were deleted."""

import pytest
from casino_lobby.errors import TooFarBehind
from casino_lobby.store import SqlStore
from support.casino.store_side import delete_hands, played
from support.casino.stream_harness import StreamHarness, events_in, read_to_end

LAST = 603
"""The cursor of the last of 150 hands."""


@pytest.mark.parametrize("followed", ["a room", "the lobby"])
async def test_a_cursor_before_the_kept_events_gets_a_snapshot(
    store: SqlStore, followed: str
) -> None:
    """A later one gets the next event."""
    harness = StreamHarness(store)
    room, _ = await played(store, hands=150)
    await delete_hands(store, room, 100)
    one = room if followed == "a room" else None
    oldest = store.oldest_cursor(one)
    assert oldest == 3 + 50 * 4
    pages = harness.reader(one, oldest - 1)
    [snapshot] = events_in(await anext(pages))
    assert (snapshot.name, snapshot.id) == ("snapshot", LAST)
    await pages.aclose()
    harness.feed.close()
    resumed = await read_to_end(harness.reader(one, oldest))
    assert [event.id for event in resumed] == list(range(oldest + 1, LAST + 1))


@pytest.mark.parametrize("followed", ["a room", "the lobby"])
async def test_events_that_are_deleted_during_a_replay_end_it(
    store: SqlStore, followed: str
) -> None:
    """The client begins again with a snapshot."""
    harness = StreamHarness(store)
    room, _ = await played(store, hands=150)
    pages = harness.reader(room if followed == "a room" else None, 0)
    assert [event.id for event in events_in(await anext(pages))] == list(range(1, 101))
    await delete_hands(store, room, 100)
    with pytest.raises(TooFarBehind):
        await anext(pages)


async def test_a_page_is_refused_if_the_database_has_deleted_some_of_it(store: SqlStore) -> None:
    """Also before the lobby that reads has learned of it."""
    room, _ = await played(store, hands=150)
    other, _ = await played(store, "r2", hands=1)
    await delete_hands(store, room, 100)
    store._book.deleted.__init__()  # type: ignore[misc]
    assert store.oldest_cursor(room) == 0
    for after in (0, 202):
        with pytest.raises(TooFarBehind):
            await store.committed(after, 10, room)
        with pytest.raises(TooFarBehind):
            await store.committed(after, 10)
    assert len(await store.committed(203, 10, room)) == 10
    assert len(await store.committed(203, 10)) == 10
    assert len(await store.committed(0, 10, other)) == 7
