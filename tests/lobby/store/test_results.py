"""Results of players are kept with their room."""

from casino_lobby.domain.player_results import RoomResults
from casino_lobby.domain.room import Room
from casino_lobby.store import SqlStore
from support.casino.store_side import OpenStore, delete_hands, played


async def opened_again(store: SqlStore, open_store: OpenStore) -> tuple[SqlStore, Room]:
    await store.close()
    again = await open_store()
    (room,) = again.rooms()
    return again, room


def nets(results: RoomResults) -> dict[str, float]:
    return {player_id: player.net for player_id, player in results.players.items()}


async def test_results_survive_a_restart(store: SqlStore, open_store: OpenStore) -> None:
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
    room, _ = await played(store, hands=150)
    assert await delete_hands(store, room, 100)
    _, read = await opened_again(store, open_store)
    assert read.results.hands == 150
    assert read.results.players["p0"].rate.hands == 150


async def test_an_archived_room_keeps_its_results(store: SqlStore) -> None:
    room, factory = await played(store, hands=3)
    await store.record(room, [factory.status("closed", "idle")])
    room.close("over")
    await store.archive(room)
    archived = await store.retention.archived("r1")
    assert archived is not None
    assert archived.results == room.results
    assert nets(room.results) == {"p0": 3, "p1": -3}
