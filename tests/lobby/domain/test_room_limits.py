"""Rooms are counted while they are open, and leave when they have been over for a while."""

import asyncio
from datetime import timedelta

import pytest
from casino_agentkit import CommandRefused
from casino_lobby.domain.room import Phase, Room
from casino_lobby.domain.room_limits import RoomCaps
from casino_lobby.service.room_archiver import Ageing
from casino_lobby.store import StoreFailed
from support.casino.store_side import new_room

DAY_S = 24 * 3600


def rooms_of(*phases: Phase, is_launched: bool = False) -> list[Room]:
    """Return rooms in these phases."""
    rooms = [new_room(f"r{number}") for number in range(len(phases))]
    for room, phase in zip(rooms, phases, strict=True):
        room.phase, room.is_launched = phase, is_launched
    return rooms


def is_refused(caps: RoomCaps, rooms: list[Room]) -> bool:
    """Tell whether one more room is refused."""
    try:
        caps.refuse_room_beyond(rooms)
    except CommandRefused as refusal:
        return refusal.reason == "TOO_MANY_ROOMS" and "CASINO_LOBBY_ROOMS" in refusal.message
    return False


def is_launch_refused(caps: RoomCaps, rooms: list[Room]) -> bool:
    """Tell whether one more launched table is refused."""
    try:
        caps.refuse_launch_beyond(rooms)
    except CommandRefused as refusal:
        return refusal.reason == "NO_TABLE" and "LAUNCHED_TABLES" in refusal.message
    return False


class TestCaps:
    """How many there may be."""

    def test_rooms_count_while_they_are_not_over(self) -> None:
        """Also while they are opened or closed: their tables are there."""
        caps = RoomCaps(rooms=3)
        assert not is_refused(caps, rooms_of("open", "closed", "failed", "open"))
        assert is_refused(caps, rooms_of("opening", "open", "closing", "closed"))

    def test_launched_tables_count_while_their_room_is_not_over(self) -> None:
        """Others do not count."""
        caps = RoomCaps(launched_tables=2)
        assert not is_launch_refused(caps, rooms_of("open", "open", "open"))
        assert not is_launch_refused(caps, rooms_of("open", "closed", is_launched=True))
        assert is_launch_refused(caps, rooms_of("open", "closing", is_launched=True))

    def test_without_caps_there_is_no_end(self) -> None:
        """So each cap is what refuses."""
        caps = RoomCaps(rooms=None, launched_tables=None)
        many = [room for _ in range(500) for room in rooms_of("open", is_launched=True)]
        assert not is_refused(caps, many)
        assert not is_launch_refused(caps, many)
        assert is_refused(RoomCaps(), many)
        assert is_launch_refused(RoomCaps(), many)

    def test_no_launched_table_at_all(self) -> None:
        """0 is a cap."""
        assert is_launch_refused(RoomCaps(launched_tables=0), [])


class LobbyContext:
    """Rooms in memory, and a clock that the test moves."""

    def __init__(self, *rooms: Room) -> None:
        self.now = 0.0
        self.kept = list(rooms)
        self.gone: list[str] = []
        self.fails = False

    def rooms(self) -> list[Room]:
        """Return all rooms."""
        return list(self.kept)

    async def archive(self, room: Room) -> None:
        """Let one go."""
        if self.fails:
            raise StoreFailed("the disk is full")
        self.kept.remove(room)

    def ageing(self, most: int = 1_000) -> Ageing:
        """Return what lets them go after a day."""
        return Ageing(
            self,
            timedelta(days=1),
            lambda: self.now,
            most=most,
            gone=lambda room: self.gone.append(room.room_id),
        )


class TestAgeing:
    """When they leave."""

    async def test_a_room_leaves_a_day_after_it_is_over(self) -> None:
        """Whether closed or failed; an open one stays."""
        house = LobbyContext(*rooms_of("open", "closed", "failed"))
        ageing = house.ageing()
        await ageing.archive_old()
        house.now = DAY_S - 1
        await ageing.archive_old()
        assert house.gone == []
        house.now = DAY_S
        await ageing.archive_old()
        assert house.gone == ["r1", "r2"]
        assert [room.room_id for room in house.kept] == ["r0"]
        house.kept[0].phase = "closed"
        await ageing.archive_old()
        assert len(house.kept) == 1
        house.now += DAY_S
        await ageing.archive_old()
        assert house.kept == []

    async def test_the_oldest_leave_first_where_there_are_too_many(self) -> None:
        """10,000 that are opened and closed in a day do not all stay for one."""
        house = LobbyContext()
        ageing = house.ageing(most=10)
        for number in range(10_000):
            room = new_room(f"r{number}")
            room.phase = "closed"
            house.kept.append(room)
            if number % 100 == 99:
                house.now += 1
                await ageing.archive_old()
        assert [room.room_id for room in house.kept] == [f"r{n}" for n in range(9_990, 10_000)]
        assert len(ageing._over_since) == 110  # forgotten with the next look

    async def test_a_database_that_is_away_costs_only_time(self) -> None:
        """The rooms leave when it is back."""
        house = LobbyContext(*rooms_of("closed"))
        house.now, house.fails = 1.0, True
        looked = 0

        async def sleep(seconds: float) -> None:
            nonlocal looked
            assert seconds == 60
            looked += 1
            house.now += DAY_S
            house.fails = looked < 3
            if looked == 5:
                raise asyncio.CancelledError

        with pytest.raises(asyncio.CancelledError):
            await house.ageing().run(sleep)
        assert house.gone == ["r0"]
