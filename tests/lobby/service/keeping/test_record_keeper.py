"""The keeper deletes what is due, in small commits, and only rooms of this lobby."""

import asyncio
from collections import deque
from collections.abc import Sequence
from itertools import count
from typing import cast

import pytest
from casino_lobby.domain.room import Room
from casino_lobby.service.retention_tasks import RECORDS_EVERY_S, RecordKeeper
from casino_lobby.store import SqlStore, StoreFailed
from casino_lobby.store.lobby_store import Place
from support.casino.store_side import new_room


class Records:
    """A store that counts hands, each of ten events, and notes what is asked of it."""

    is_held = True

    def __init__(self, *hands: int) -> None:
        self.hands: dict[str, int] = {}
        self.rooms: list[Room] = []
        self.calls: list[str] = []
        self.failing: set[str] = set()
        self.now = 0.0
        self.took_s = deque([0.25, 3.0])
        for number, stored in zip(count(1), hands, strict=False):
            self.rooms.append(new_room(f"r{number}"))
            self.play(f"r{number}", stored)

    def play(self, room_id: str, hands: int) -> None:
        self.hands[room_id] = self.hands.get(room_id, 0) + hands
        next(room for room in self.rooms if room.room_id == room_id).hand_count += hands

    @property
    def retention(self) -> "Records":
        return self

    def own_rooms(self) -> list[Room]:
        return self.rooms

    async def save(self, room: Room) -> None:
        """Note it; raises StoreFailed for a room that fails."""
        self.calls.append(f"save {room.room_id}")
        if room.room_id in self.failing:
            raise StoreFailed("the disk is full")

    async def stored_hands(self, room: Room) -> int:
        self.calls.append(f"count {room.room_id}")
        return self.hands[room.room_id]

    async def first_kept(self, room: Room, keep: int) -> Place | None:
        """Return a place whose sequence is the number of hands that stay."""
        self.calls.append(f"find {room.room_id}")
        return Place(1, keep)

    async def delete_before(self, room: Room, kept: Place) -> int:
        deleted = min(50, self.hands[room.room_id] - kept.sequence)
        self.hands[room.room_id] -= deleted
        if deleted:
            self.calls.append(f"delete {room.room_id}")
            self.now += self.took_s.popleft() if self.took_s else 0.25
        return 10 * deleted


class Naps:
    def __init__(self) -> None:
        self.naps: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.naps.append(seconds)


def keeper(store: Records, keep: int = 100) -> RecordKeeper:
    async def catch_up(rooms: Sequence[Room]) -> None:
        store.calls += [f"read {room.room_id}" for room in rooms]

    return RecordKeeper(cast("SqlStore", store), keep, lambda: store.now, catch_up)


async def test_a_room_beyond_its_slack_is_cut_to_what_is_kept() -> None:
    """Another one stays; a pause follows each commit, as long as it lasted, at most a second."""
    store, naps = Records(110, 201), Naps()
    await keeper(store).delete_old(naps)
    assert store.hands == {"r1": 110, "r2": 100}
    assert store.calls == [
        *("count r1", "count r2", "read r2", "save r2", "find r2"),
        *("delete r2", "delete r2", "delete r2", "count r2"),
    ]
    assert naps.naps == [0.25, 1.0, 0.25]


@pytest.mark.parametrize(("keep", "slack"), [(100, 10), (500, 50), (5_000, 100)])
async def test_the_slack_is_a_tenth_and_at_most_a_hundred(keep: int, slack: int) -> None:
    store = Records(keep + slack, keep + slack + 1)
    await keeper(store, keep).delete_old(Naps())
    assert store.hands == {"r1": keep + slack, "r2": keep}


async def test_a_room_that_is_over_has_no_slack() -> None:
    store = Records(105)
    keeping = keeper(store)
    await keeping.delete_old(Naps())
    assert store.hands == {"r1": 105}
    store.rooms[0].close("over")
    await keeping.delete_old(Naps())
    assert store.hands == {"r1": 100}


async def test_a_room_that_fails_stops_no_other_one() -> None:
    store, rounds = Records(200, 200), list[dict[str, int]]()
    store.failing.add("r1")

    async def sleep(seconds: float) -> None:
        if seconds == RECORDS_EVERY_S:
            rounds.append(dict(store.hands))
            store.failing.clear()
        if len(rounds) == 2:
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await keeper(store).run(sleep)
    assert rounds == [{"r1": 200, "r2": 100}, {"r1": 100, "r2": 100}]


async def test_nothing_is_deleted_in_doubt() -> None:
    store = Records(200)
    store.rooms[0].phase = "opening"
    await keeper(store).delete_old(Naps())
    store.rooms[0].phase = "open"
    store.is_held = False
    await keeper(store).delete_old(Naps())
    assert store.calls == []
