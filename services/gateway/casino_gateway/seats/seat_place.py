"""A seat of the gateway with its row, from its first invitation on."""

from typing import TypeAlias

from casino_seats.seat_agent import SeatPlace as AnyPlace

from casino_gateway.seats.live_seat import LiveSeat
from casino_gateway.store.seats import StoredSeat

SeatPlace: TypeAlias = AnyPlace[StoredSeat, LiveSeat]
