"""Seats are counted and found; those given back are found for a while, and then forgotten."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from casino_gateway.domain.updates import SeatEnd
from casino_gateway.errors import RefusedSeat
from casino_gateway.seats.seat_index import CLOSED_KEPT, SeatIndex, SeatLimits, SeatPlace
from casino_gateway.store.seat_rows import StoredSeat
from casino_lobby_client.errors import CallRefused
from casino_seats.seat_agent import digest_of
from support.gateway.seat_side import SeatSide

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def place(number: int, address: str = "192.0.2.1") -> SeatPlace:
    seat_id = f"seat-p{number}"
    stored = StoredSeat(
        seat_id, "room", "Ada", "human", seat_id, address, digest_of(f"token-{number}"), NOW
    )
    return SeatPlace(stored, None)


def sit(index: SeatIndex, side: SeatSide, number: int) -> SeatPlace:
    taken = place(number)
    index.reserve(taken)
    taken.seat = side.take(f"p{number}", number)
    index.add(taken, taken.seat)
    return taken


async def test_seats_are_counted_by_address_and_in_all() -> None:
    """Also while they are being taken; a seat that was not taken counts no more."""
    index = SeatIndex(SeatLimits(total=3, per_address=2))
    first, second = place(1), place(2)
    for seat in (first, second):
        index.refuse_beyond("192.0.2.1")
        index.reserve(seat)
    with pytest.raises(CallRefused, match="leave one first") as refusal:
        index.refuse_beyond("192.0.2.1")
    assert (refusal.value.reason, refusal.value.status) == (RefusedSeat.TOO_MANY_SEATS, 429)
    index.free(first)
    index.free(first)
    index.refuse_beyond("192.0.2.1")
    index.reserve(place(3, "192.0.2.2"))
    index.reserve(place(4, ""))
    with pytest.raises(CallRefused, match="All 3 seats"):
        index.refuse_beyond("192.0.2.3")


async def test_a_seat_is_found_by_token_owner_and_player() -> None:
    """Given back, its token finds it for a while; its owner holds it no more."""
    index, side = SeatIndex(SeatLimits()), SeatSide()
    taken = sit(index, side, 1)
    seat = taken.seat
    assert seat is not None
    assert index.by_token("token-1") is seat
    assert index.by_token("token-2") is None
    assert index.of_owner("seat-p1") == [seat]
    assert index.in_room("room", "p1") is seat
    seat.end(SeatEnd("left", NOW))
    assert index.retire(taken) == []
    assert len(index) == 0
    assert index.by_token("token-1") is seat
    assert index.of_owner("seat-p1") == []
    assert index.forget_before(NOW) == []
    assert index.forget_before(NOW + timedelta(seconds=1)) == ["seat-p1"]
    assert index.by_token("token-1") is None
    assert index.in_room("room", "p1") is None


async def test_seats_that_are_given_back_are_bounded() -> None:
    index, side = SeatIndex(SeatLimits(per_address=0)), SeatSide()
    forgotten = []
    for number in range(CLOSED_KEPT + 3):
        taken = sit(index, side, number)
        taken.stored = replace(taken.stored, seat_number=number)
        assert taken.seat is not None
        taken.seat.end(SeatEnd("left", NOW))
        forgotten += index.retire(taken)
    assert forgotten == ["seat-p0", "seat-p1", "seat-p2"]
    assert index.by_token("token-2") is None
    assert index.by_token("token-3") is not None
