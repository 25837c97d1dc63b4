"""Rooms of a model's own do not fill a casino: those whose session is over make way."""

from datetime import timedelta
from unittest.mock import AsyncMock

import pytest
from casino_gateway.model_context.practice_rooms import PracticeRooms
from support.gateway.seat_side import listed, snapshot


@pytest.mark.parametrize(
    ("status", "hands", "is_closed"),
    [("idle", 1, True), ("idle", 0, False), ("waiting", 0, False), ("running", 1, False)],
)
async def test_a_room_whose_session_is_over_is_closed_for_the_next_one(
    *, status: str, hands: int, is_closed: bool
) -> None:
    """Rooms that play, that fill up, or that others opened stay."""
    lobby = AsyncMock()
    lobby.info.return_value.default_config = snapshot().config
    lobby.create_room.return_value.room_id = "mine"
    lobby.open_rooms.return_value = [
        listed(room_id).model_copy(update={"status": status, "hand_count": hands})
        for room_id in ("mine", "of-others")
    ]
    rooms = PracticeRooms(lobby, may_open=True, clock=timedelta(seconds=30))
    await rooms.open("texas-holdem", hands=1, opponents=1)
    lobby.close_room.assert_not_awaited()
    await rooms.open("texas-holdem", hands=1, opponents=1)
    assert lobby.close_room.await_count == is_closed
    if is_closed:
        lobby.close_room.assert_awaited_once_with("mine")


async def test_only_its_owner_closes_a_room_by_leaving() -> None:
    """Not another guest there, and nobody a room that was opened elsewhere."""
    lobby = AsyncMock()
    lobby.info.return_value.default_config = snapshot().config
    lobby.create_room.return_value.room_id = "mine"
    lobby.open_rooms.return_value = []
    rooms = PracticeRooms(lobby, may_open=True, clock=timedelta(seconds=30))
    rooms.owned(await rooms.open("texas-holdem", hands=1, opponents=1), "seat-of-owner")
    await rooms.left("mine", "seat-of-guest")
    await rooms.left("of-others", "seat-of-owner")
    lobby.close_room.assert_not_awaited()
    await rooms.left("mine", "seat-of-owner")
    lobby.close_room.assert_awaited_once_with("mine")
