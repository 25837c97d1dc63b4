"""Choose the seats of a hand, and its button and blinds.

The big blind moves to the next seat with chips; the small blind is the dealt seat before it, the
button the one before that (heads-up the button is the small blind).
So both blinds are posted in every hand, and no seat posts the big blind twice in a row.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from casino_table.domain.seat import Seat

_HEADS_UP = 2


@dataclass(frozen=True)
class HandPositions:
    """The seats of one hand, clockwise by number, and the number of the button's seat."""

    number: int
    seats: tuple[Seat, ...]
    button_seat: int
    big_blind_seat: int

    @property
    def button(self) -> int:
        """The index of the button in `seats`."""
        return next(i for i, seat in enumerate(self.seats) if seat.number == self.button_seat)

    def seat_of(self, player_id: str) -> Seat:
        """Return the seat of a player of this hand."""
        return next(seat for seat in self.seats if seat.player_id == player_id)


def next_deal(seats: Sequence[Seat], last_big_blind: int | None, number: int) -> HandPositions:
    """Return the deal of the next hand; at least one of the seats must have chips.

    A new seat waits for the big blind, or is dealt in at once if fewer than two other seats would
    be. In the first hand the button is the lowest seat.
    """
    playing = sorted((seat for seat in seats if seat.stack > 0), key=lambda seat: seat.number)
    settled = [seat for seat in playing if not seat.is_new]
    if len(settled) < _HEADS_UP:
        settled = playing
    if last_big_blind is None:
        big_blind = settled[min(len(settled) - 1, 2)]
    else:
        later = [seat for seat in playing if seat.number > last_big_blind]
        big_blind = (later or playing)[0]
    dealt = tuple(seat for seat in playing if seat in settled or seat is big_blind)
    place = dealt.index(big_blind)
    button = dealt[(place - (1 if len(dealt) == _HEADS_UP else 2)) % len(dealt)]
    return HandPositions(number, dealt, button.number, big_blind.number)
