"""Results of players are kept with their room, and recounted where an older release kept none."""

import json
import shutil
from pathlib import Path

from casino_lobby.domain.room import Room
from casino_lobby.domain.standings.room_results import RoomResults
from casino_lobby.store import SqlStore
from casino_lobby.store.retention import recount
from support.casino.store_side import OpenStore, change_rows, delete_hands, played, rows

RELEASED = Path(__file__).parent / "released"


async def as_of_an_older_release(store: SqlStore) -> None:
    for room_id, content in await rows(store, "SELECT room_id, content FROM room"):
        stored = json.loads(content)
        del stored["results"]
        update = "UPDATE room SET content = :content WHERE room_id = :room_id"
        await change_rows(store, update, content=json.dumps(stored), room_id=room_id)


async def opened_again(store: SqlStore, open_store: OpenStore) -> tuple[SqlStore, Room]:
    await store.close()
    again = await open_store()
    (room,) = again.rooms()
    return again, room


def nets(results: RoomResults) -> dict[str, float]:
    return {player_id: player.net for player_id, player in results.players.items()}


async def test_results_survive_a_restart(store: SqlStore, open_store: OpenStore) -> None:
    """Those saved with the room, and those of later events; also within a hand."""
    room, factory = await played(store, hands=2)
    third, fourth = factory.hand(3, {"p0": 150, "p1": 250}), factory.hand(4, {"p0": 1, "p1": 399})
    await store.record(room, third[:2])
    await store.save(room)
    await store.record(room, [*third[2:], *fourth[:2]])
    again, read = await opened_again(store, open_store)
    assert read.results == room.results
    assert nets(read.results) == {"p0": -50, "p1": 50}
    await again.record(read, fourth[2:])
    assert (nets(read.results), read.results.hands) == ({"p0": -199, "p1": 199}, 4)


async def test_deleted_hands_count(store: SqlStore, open_store: OpenStore) -> None:
    """They were counted before they were deleted."""
    room, _ = await played(store, hands=150)
    assert await delete_hands(store, room, 100)
    _, read = await opened_again(store, open_store)
    assert (read.results.hands, read.results.since_hand) == (150, None)
    assert read.results.players["p0"].rate.hands == 150


async def test_results_of_an_older_release_are_recounted(
    store: SqlStore, open_store: OpenStore
) -> None:
    """From all events, of all epochs; a hand that was cut off does not count."""
    room, factory = await played(store, hands=3)
    await store.record(room, factory.hand(4, {})[:2])
    factory.takes_over()
    await store.save(room)
    await store.record(room, factory.hand(4, {"p0": 140, "p1": 260}))
    await as_of_an_older_release(store)
    _, read = await opened_again(store, open_store)
    assert read.results == room.results
    assert (nets(read.results), read.results.hands) == ({"p0": -60, "p1": 60}, 4)


async def test_results_begin_where_events_are_missing(
    store: SqlStore, open_store: OpenStore
) -> None:
    """They say with which hand, and go on."""
    room, factory = await played(store, hands=150)
    assert await delete_hands(store, room, 100)
    await as_of_an_older_release(store)
    again, read = await opened_again(store, open_store)
    assert (read.results.hands, read.results.since_hand) == (0, 151)
    assert nets(read.results) == {"p0": 0, "p1": 0}
    await again.record(read, factory.hand(151, {"p0": 300, "p1": 100}))
    assert nets(read.results) == {"p0": -50, "p1": 50}, "of 350 and 50"
    await again.save(read)
    _, once_more = await opened_again(again, open_store)
    assert once_more.results == read.results


async def test_results_begin_where_an_event_is_unreadable(
    store: SqlStore, open_store: OpenStore
) -> None:
    """It may have moved any chips."""
    room, _ = await played(store, hands=2)
    await store.save(room)
    await as_of_an_older_release(store)
    await change_rows(store, "UPDATE event SET content = '{' WHERE sequence = 3")
    _, read = await opened_again(store, open_store)
    assert read.results.since_hand == 3


async def test_a_recount_is_bounded(store: SqlStore) -> None:
    """So that a start does not take hours."""
    room, _ = await played(store, hands=600)
    async with store.database.reading() as connection:
        whole = await recount.results(connection, room, store.unreadable)
        part = await recount.results(connection, room, store.unreadable, most=2_000)
    assert (whole, part) == (room.results, None)


async def test_an_archived_room_keeps_its_results(store: SqlStore) -> None:
    """Of an older release they are counted when they are asked for."""
    room, factory = await played(store, hands=3)
    await store.record(room, [factory.status("closed", "idle")])
    room.close("over")
    await store.archive(room)
    for is_old in (False, True):
        if is_old:
            await as_of_an_older_release(store)
        archived = await store.archived("r1")
        assert archived is not None
        assert (archived.results.since_hand is not None) == is_old
        results = await store.results(archived)
        assert results == room.results
        assert nets(results) == {"p0": 3, "p1": -3}


async def test_rooms_of_the_first_release_have_standings(tmp_path: Path) -> None:
    """The chips are those of its ledger."""
    shutil.copy(RELEASED / "casino-0.1.db", tmp_path / "casino.db")
    store = SqlStore(f"sqlite+aiosqlite:///{tmp_path}/casino.db")
    await store.open()
    try:
        for room in store.rooms():
            assert room.results.since_hand is None
            assert room.results.hands == room.hand_count
            stacks = {
                f"player:{player_id}": player.stack
                for player_id, player in room.results.players.items()
                if player.is_seated and player.stack
            }
            balances = await store.balances(room.room_id)
            assert stacks == {key: balances[key] for key in balances if key.startswith("player:")}
    finally:
        await store.close()
