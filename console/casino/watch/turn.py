"""Who is to act in a hand of Hold'em, from what the players have done. Pure."""

from collections.abc import Sequence
from typing import Final

from casino.watch.seat_state import SeatState

_FEWEST: Final = 2
"""Fewer players do not bet against each other."""


def next_to_act(seats: Sequence[SeatState], last: int) -> SeatState | None:
    """Return who acts after the seat number `last`; None if the round is over.

    The seats are in the order of their numbers.
    """
    dealt_in = [seat for seat in seats if seat.state in {"playing", "all-in"}]
    clockwise = sorted(dealt_in, key=lambda seat: (seat.number <= last, seat.number))
    highest = max((seat.bet for seat in seats), default=0)
    deciding = [seat for seat in clockwise if seat.state == "playing"]
    if len(dealt_in) < _FEWEST or (len(deciding) < _FEWEST and _has_matched(deciding, highest)):
        return None
    waiting = (seat for seat in deciding if not seat.has_acted or seat.bet < highest)
    return next(waiting, None)


def _has_matched(seats: Sequence[SeatState], highest: float) -> bool:
    return all(seat.bet >= highest for seat in seats)
