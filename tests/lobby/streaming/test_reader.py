"""A reader gets every event once, from any cursor."""

import asyncio
import random
from pathlib import Path

import pytest
from casino_lobby.domain.lobby_events import RoomChanged
from casino_lobby.domain.room import Room
from casino_lobby.errors import TooFarBehind
from casino_lobby.store import MemoryStore, SqlStore, Store
from support.casino.store_side import EventFactory, new_room
from support.casino.streams import StreamHarness, events_in, read_to_end


async def some_store(kind: str, home: Path) -> Store:
    store: Store = (
        MemoryStore(20_000) if kind == "memory" else SqlStore(f"sqlite+aiosqlite:///{home}/c.db")
    )
    await store.open()
    return store


async def test_a_snapshot_holds_all_up_to_its_cursor() -> None:
    harness, room = StreamHarness(MemoryStore(1_000)), new_room()
    await harness.store.add(room)
    factory = EventFactory(room)
    await harness.store.record(room, factory.some(3))
    pages = harness.reader(room)
    [snapshot] = events_in(await anext(pages))
    assert snapshot.name == "snapshot"
    assert snapshot.id == snapshot.data["cursor"] == 3
    assert [event["sequence"] for event in snapshot.data["room"]["events"]] == [1, 2, 3]
    await harness.store.record(room, factory.some(2))
    page = events_in(await anext(pages))
    assert [one.id for one in page] == [4, 5]
    assert [one.data["event"]["sequence"] for one in page] == [4, 5]
    assert {one.data["roomId"] for one in page} == {"r1"}
    await pages.aclose()
    assert not harness.feed.is_followed("r1")


@pytest.mark.parametrize(
    ("kind", "followed"), [("memory", "a room"), ("memory", "the lobby"), ("sqlite", "the lobby")]
)
async def test_a_reader_cut_fifty_times_gets_every_event_once(
    tmp_path: Path, kind: str, followed: str
) -> None:
    """At any point, while events are recorded."""
    chance = random.Random(f"{kind} {followed}")
    harness = StreamHarness(await some_store(kind, tmp_path))
    store, rooms = harness.store, [new_room(f"r{number}") for number in range(3)]
    for room in rooms:
        await store.add(room)
    done = asyncio.Event()

    async def play(room: Room) -> None:
        factory = EventFactory(room)
        while not done.is_set():
            await store.record(room, factory.some(chance.randint(1, 7)))
            await asyncio.sleep(0)

    playing = [asyncio.ensure_future(play(room)) for room in rooms]
    one_room = rooms[1] if followed == "a room" else None
    had: list[int] = []
    last = cuts = 0
    while cuts < 50 or len(had) < 300:
        cuts += 1
        pages = harness.reader(one_room, last)
        for _ in range(chance.randint(0, 6)):
            items = list(await anext(pages))
            cut = chance.randint(0, len(items))  # in the middle of what was sent together
            for one in events_in(items[:cut]):
                assert one.name == "table_event"
                assert one.id is not None
                had.append(one.id)
                last = one.id
            if cut < len(items):
                break
        await pages.aclose()
    done.set()
    await asyncio.gather(*playing)
    harness.feed.close()
    had += [one.id or 0 for one in await read_to_end(harness.reader(one_room, last))]
    committed = await store.committed(0, 1_000_000, one_room)
    assert had == [one.cursor for one in committed]
    await store.close()


async def test_a_stream_goes_on_across_restarts_and_epochs(tmp_path: Path) -> None:
    harness = StreamHarness(await some_store("sqlite", tmp_path))
    room = new_room()
    await harness.store.add(room)
    factory = EventFactory(room)
    await harness.store.record(room, factory.some(3))
    pages = harness.reader(room, 1)
    assert [one.id for one in events_in(await anext(pages))] == [2, 3]
    await pages.aclose()
    factory.takes_over()
    await harness.store.save(room)
    await harness.store.record(room, factory.some(2))
    await harness.store.close()

    again = StreamHarness(await some_store("sqlite", tmp_path))
    [room] = again.store.rooms()
    pages = again.reader(room, 3)
    seen = events_in(await anext(pages))
    assert [(one.id, one.data["event"]["epoch"]) for one in seen] == [(4, 2), (5, 2)]
    await again.store.record(room, factory.some(1))
    [one] = events_in(await anext(pages))
    assert (one.id, one.data["event"]["sequence"]) == (6, 3)
    await pages.aclose()
    await again.store.close()


@pytest.mark.parametrize("after", [2, 99])
async def test_an_unknown_cursor_gets_a_snapshot(after: int) -> None:
    harness, room = StreamHarness(MemoryStore(5)), new_room()
    await harness.store.add(room)
    await harness.store.record(room, EventFactory(room).some(8))
    pages = harness.reader(room, after)
    [snapshot] = events_in(await anext(pages))
    assert (snapshot.name, snapshot.id) == ("snapshot", 8)
    await pages.aclose()
    harness.feed.close()
    assert [one.id for one in await read_to_end(harness.reader(room, 3))] == [4, 5, 6, 7, 8]
    assert await read_to_end(harness.reader(room, 8)) == []


async def test_a_reader_that_lags_is_notified_and_can_resume() -> None:
    harness, room = StreamHarness(MemoryStore(1_000), behind=10), new_room()
    await harness.store.add(room)
    factory = EventFactory(room)
    pages = harness.reader(room)
    await anext(pages)
    await harness.store.record(room, factory.some(10))
    assert len(await anext(pages)) == 10
    await harness.store.record(room, factory.some(11))
    with pytest.raises(TooFarBehind):
        await anext(pages)
    harness.feed.close()
    assert [one.id for one in await read_to_end(harness.reader(room, 10))] == list(range(11, 22))


async def test_old_events_are_read_without_a_queue() -> None:
    """However slowly they are read, and however many events follow."""
    harness, room = StreamHarness(MemoryStore(10_000), behind=10), new_room()
    await harness.store.add(room)
    factory = EventFactory(room)
    await harness.store.record(room, factory.some(300))
    pages = harness.reader(room, 0)
    had = [one.id for one in events_in(await anext(pages))]
    await harness.store.record(room, factory.some(50))
    while len(had) < 350:
        had += [one.id for one in events_in(await anext(pages))]
    assert had == list(range(1, 351))
    await pages.aclose()


async def test_events_dropped_during_reading_end_the_stream() -> None:
    harness, room = StreamHarness(MemoryStore(150)), new_room()
    await harness.store.add(room)
    factory = EventFactory(room)
    await harness.store.record(room, factory.some(150))
    pages = harness.reader(room, 0)
    assert len(await anext(pages)) == 100
    await harness.store.record(room, factory.some(120))
    with pytest.raises(TooFarBehind):
        await anext(pages)


@pytest.mark.parametrize("phase", ["closed", "failed"])
async def test_the_stream_of_a_closed_room_has_its_past(phase: str) -> None:
    harness, room = StreamHarness(MemoryStore(1_000)), new_room()
    await harness.store.add(room)
    await harness.store.record(room, EventFactory(room).some(3))
    room.phase = "closed" if phase == "closed" else "failed"
    assert [one.name for one in await read_to_end(harness.reader(room))] == [
        "snapshot",
        "room_closed",
    ]
    resumed = await read_to_end(harness.reader(room, 2))
    assert [(one.name, one.id) for one in resumed] == [("table_event", 3), ("room_closed", None)]
    assert resumed[-1].data["room"]["state"] == phase


async def test_opening_and_closing_rooms_are_reported() -> None:
    harness, room = StreamHarness(MemoryStore(1_000)), new_room()
    lobby = harness.reader(None)
    assert events_in(await anext(lobby))[0].data == {"cursor": 0, "rooms": []}
    await harness.store.add(room)
    harness.store.bus.publish(RoomChanged(room))
    assert [one.name for one in events_in(await anext(lobby))] == ["room_opened"]
    follower = harness.reader(room)
    await anext(follower)
    room.fail("its table is gone")
    harness.store.bus.publish(RoomChanged(room))
    [closed] = await read_to_end(follower)
    assert closed.name == "room_closed"
    assert closed.data["room"]["message"] == "its table is gone"
    assert events_in(await anext(lobby)) == [closed]
    await lobby.aclose()
