"""A reader misses nothing and reads nothing twice, wherever it begins and whatever happens."""

import asyncio
import random
from pathlib import Path

import pytest
from casino_lobby.domain.room import Room
from casino_lobby.store import MemoryStore, SqlStore, Store
from casino_lobby.streaming.reader import TooFarBehind
from support.casino.store_side import EventFactory, new_room
from support.casino.stream_harness import StreamHarness, read_to_end, told


async def some_store(kind: str, home: Path) -> Store:
    """Open a store."""
    store: Store = (
        MemoryStore(20_000) if kind == "memory" else SqlStore(f"sqlite+aiosqlite:///{home}/c.db")
    )
    await store.open()
    return store


async def test_a_snapshot_holds_all_up_to_its_cursor() -> None:
    """And what comes after it follows."""
    house, room = StreamHarness(MemoryStore(1_000)), new_room()
    await house.store.add(room)
    teller = EventFactory(room)
    await house.store.record(room, teller.some(3))
    pages = house.reader(room)
    [snapshot] = told(await anext(pages))
    assert snapshot.name == "snapshot"
    assert snapshot.id == snapshot.data["cursor"] == 3
    assert [event["sequence"] for event in snapshot.data["room"]["events"]] == [1, 2, 3]
    await house.store.record(room, teller.some(2))
    page = told(await anext(pages))
    assert [one.id for one in page] == [4, 5]
    assert [one.data["event"]["sequence"] for one in page] == [4, 5]
    assert {one.data["roomId"] for one in page} == {"r1"}
    await pages.aclose()
    assert not house.feed.is_followed("r1")


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
@pytest.mark.parametrize("followed", ["a room", "the lobby"])
async def test_a_client_that_is_cut_again_and_again_ends_with_exactly_the_store_s_events(
    tmp_path: Path, kind: str, followed: str
) -> None:
    """Fifty times, at any point, while tables tell on."""
    chance = random.Random(f"{kind} {followed}")
    house = StreamHarness(await some_store(kind, tmp_path))
    store, rooms = house.store, [new_room(f"r{number}") for number in range(3)]
    for room in rooms:
        await store.add(room)
    done = asyncio.Event()

    async def play(room: Room) -> None:
        teller = EventFactory(room)
        while not done.is_set():
            await store.record(room, teller.some(chance.randint(1, 7)))
            await asyncio.sleep(0)

    playing = [asyncio.ensure_future(play(room)) for room in rooms]
    one_room = rooms[1] if followed == "a room" else None
    had: list[int] = []
    last = cuts = 0
    while cuts < 50 or len(had) < 300:
        cuts += 1
        pages = house.reader(one_room, last)
        for _ in range(chance.randint(0, 6)):
            items = list(await anext(pages))
            cut = chance.randint(0, len(items))  # in the middle of what was sent together
            for one in told(items[:cut]):
                assert one.name == "table_event"
                assert one.id is not None
                had.append(one.id)
                last = one.id
            if cut < len(items):
                break
        await pages.aclose()
    done.set()
    await asyncio.gather(*playing)
    house.feed.close()
    had += [one.id or 0 for one in await read_to_end(house.reader(one_room, last))]
    committed = await store.committed(0, 1_000_000, one_room)
    assert had == [one.cursor for one in committed]
    await store.close()


async def test_a_stream_goes_on_across_restarts_and_epochs(tmp_path: Path) -> None:
    """The cursor is the lobby's, not the table's."""
    house = StreamHarness(await some_store("sqlite", tmp_path))
    room = new_room()
    await house.store.add(room)
    teller = EventFactory(room)
    await house.store.record(room, teller.some(3))
    pages = house.reader(room, 1)
    assert [one.id for one in told(await anext(pages))] == [2, 3]
    await pages.aclose()
    teller.takes_over()
    await house.store.save(room)
    await house.store.record(room, teller.some(2))
    await house.store.close()

    again = StreamHarness(await some_store("sqlite", tmp_path))
    [room] = again.store.rooms()
    pages = again.reader(room, 3)
    seen = told(await anext(pages))
    assert [(one.id, one.data["event"]["epoch"]) for one in seen] == [(4, 2), (5, 2)]
    await again.store.record(room, teller.some(1))
    [one] = told(await anext(pages))
    assert (one.id, one.data["event"]["sequence"]) == (6, 3)
    await pages.aclose()
    await again.store.close()


@pytest.mark.parametrize("after", [2, 99])
async def test_an_unknown_cursor_gets_a_snapshot(after: int) -> None:
    """Older than what is kept, or newer than the newest."""
    house, room = StreamHarness(MemoryStore(5)), new_room()
    await house.store.add(room)
    await house.store.record(room, EventFactory(room).some(8))
    pages = house.reader(room, after)
    [snapshot] = told(await anext(pages))
    assert (snapshot.name, snapshot.id) == ("snapshot", 8)
    await pages.aclose()
    house.feed.close()
    assert [one.id for one in await read_to_end(house.reader(room, 3))] == [4, 5, 6, 7, 8]
    assert await read_to_end(house.reader(room, 8)) == []


async def test_who_lags_is_told_and_may_go_on() -> None:
    """The queue is bounded; the store is not."""
    house, room = StreamHarness(MemoryStore(1_000), behind=10), new_room()
    await house.store.add(room)
    teller = EventFactory(room)
    pages = house.reader(room)
    await anext(pages)
    await house.store.record(room, teller.some(10))
    assert len(await anext(pages)) == 10
    await house.store.record(room, teller.some(11))
    with pytest.raises(TooFarBehind):
        await anext(pages)
    house.feed.close()
    assert [one.id for one in await read_to_end(house.reader(room, 10))] == list(range(11, 22))


async def test_the_long_past_costs_no_queue() -> None:
    """However slowly it is read, and however much happens meanwhile."""
    house, room = StreamHarness(MemoryStore(10_000), behind=10), new_room()
    await house.store.add(room)
    teller = EventFactory(room)
    await house.store.record(room, teller.some(300))
    pages = house.reader(room, 0)
    had = [one.id for one in told(await anext(pages))]
    await house.store.record(room, teller.some(50))
    while len(had) < 350:
        had += [one.id for one in told(await anext(pages))]
    assert had == list(range(1, 351))
    await pages.aclose()


async def test_what_is_forgotten_while_it_is_read_is_no_gap() -> None:
    """The reader is let go, and comes back to a snapshot."""
    house, room = StreamHarness(MemoryStore(150)), new_room()
    await house.store.add(room)
    teller = EventFactory(room)
    await house.store.record(room, teller.some(150))
    pages = house.reader(room, 0)
    assert len(await anext(pages)) == 100
    await house.store.record(room, teller.some(120))
    with pytest.raises(TooFarBehind):
        await anext(pages)


@pytest.mark.parametrize("phase", ["closed", "failed"])
async def test_of_a_room_that_is_over_there_is_the_past(phase: str) -> None:
    """A snapshot, or what the client has not had; then the end."""
    house, room = StreamHarness(MemoryStore(1_000)), new_room()
    await house.store.add(room)
    await house.store.record(room, EventFactory(room).some(3))
    room.phase = "closed" if phase == "closed" else "failed"
    assert [one.name for one in await read_to_end(house.reader(room))] == [
        "snapshot",
        "room_closed",
    ]
    resumed = await read_to_end(house.reader(room, 2))
    assert [(one.name, one.id) for one in resumed] == [("table_event", 3), ("room_closed", None)]
    assert resumed[-1].data["room"]["state"] == phase


async def test_rooms_that_open_and_end_are_told() -> None:
    """To the whole lobby; a room's own stream ends."""
    house, room = StreamHarness(MemoryStore(1_000)), new_room()
    lobby = house.reader(None)
    assert told(await anext(lobby))[0].data == {"cursor": 0, "rooms": []}
    await house.store.add(room)
    house.event_broadcaster.changed(room)
    assert [one.name for one in told(await anext(lobby))] == ["room_opened"]
    follower = house.reader(room)
    await anext(follower)
    room.fail("its table is gone")
    house.event_broadcaster.changed(room)
    [closed] = await read_to_end(follower)
    assert closed.name == "room_closed"
    assert closed.data["room"]["message"] == "its table is gone"
    assert told(await anext(lobby)) == [closed]
    await lobby.aclose()


async def test_where_a_player_s_agent_lives_is_told_to_nobody() -> None:
    """Neither by a snapshot nor by an event."""
    house, room = StreamHarness(MemoryStore(1_000)), new_room()
    await house.store.add(room)
    teller = EventFactory(room)
    seats = [teller.registered(f"p{n}", agentCardUrl="http://secret-place/") for n in range(2)]
    await house.store.record(room, seats[:1])
    pages = house.reader(room)
    first = await anext(pages)
    await house.store.record(room, seats[1:])
    second = await anext(pages)
    assert b"p0" in first[0].data
    assert b"p1" in second[0].data
    assert b"secret-place" not in first[0].data + second[0].data
    await pages.aclose()
