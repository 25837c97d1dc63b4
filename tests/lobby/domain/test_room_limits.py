"""The limits on open rooms and on launched tables."""

from casino_agentkit import CommandRefused
from casino_contracts.lobby_messages import Service
from casino_lobby.domain.room import Phase, Room
from casino_lobby.domain.room_limits import SCOPES, SERVICES, RoomCaps
from support.casino.store_side import new_room


def rooms_of(*phases: Phase, is_launched: bool = False) -> list[Room]:
    rooms = [new_room(f"r{number}") for number in range(len(phases))]
    for room, phase in zip(rooms, phases, strict=True):
        room.phase, room.is_launched = phase, is_launched
    return rooms


def is_refused(caps: RoomCaps, rooms: list[Room], owner: Service | None = None) -> bool:
    try:
        caps.refuse_room_beyond(rooms, owner)
    except CommandRefused as refusal:
        return refusal.reason == "TOO_MANY_ROOMS" and "CASINO_LOBBY_ROOMS" in refusal.message
    return False


def is_launch_refused(caps: RoomCaps, rooms: list[Room], owner: Service | None = None) -> bool:
    try:
        caps.refuse_launch_beyond(rooms, owner)
    except CommandRefused as refusal:
        return refusal.reason == "NO_TABLE" and "LAUNCHED_TABLES" in refusal.message
    return False


def test_rooms_count_while_they_are_not_over() -> None:
    caps = RoomCaps(rooms=3)
    assert not is_refused(caps, rooms_of("open", "closed", "failed", "open"))
    assert is_refused(caps, rooms_of("opening", "open", "closing", "closed"))


def test_launched_tables_count_while_their_room_is_not_over() -> None:
    caps = RoomCaps(launched_tables=2)
    assert not is_launch_refused(caps, rooms_of("open", "open", "open"))
    assert not is_launch_refused(caps, rooms_of("open", "closed", is_launched=True))
    assert is_launch_refused(caps, rooms_of("open", "closing", is_launched=True))


def test_without_caps_there_is_no_end() -> None:
    caps = RoomCaps(rooms=None, launched_tables=None)
    many = [room for _ in range(500) for room in rooms_of("open", is_launched=True)]
    assert not is_refused(caps, many)
    assert not is_launch_refused(caps, many)
    assert is_refused(RoomCaps(), many)
    assert is_launch_refused(RoomCaps(), many)


def test_no_launched_table_at_all() -> None:
    assert is_launch_refused(RoomCaps(launched_tables=0), [])


def test_services_use_up_their_own_share_and_never_the_operators() -> None:
    caps = RoomCaps(rooms=16, launched_tables=16)
    rooms: list[Room] = []
    for service in SERVICES:
        while not is_refused(caps, rooms, service):
            assert not is_launch_refused(caps, rooms, service)
            (room,) = rooms_of("open", is_launched=True)
            room.owner = service
            rooms.append(room)
        assert is_launch_refused(caps, rooms, service)
        assert not is_refused(caps, rooms)
        assert not is_launch_refused(caps, rooms)
    assert sum(scope.share for scope in SCOPES.values()) < 1
