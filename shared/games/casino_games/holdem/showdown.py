"""Order of showing hands at the showdown, and which hands are mucked.

If a player is all-in when betting ends, all live hands are shown (TDA 16), before the remaining
streets. Otherwise the last aggressor of the river shows first, or without a bet the first live seat
left of the button, and the others follow clockwise (TDA 17). A hand that is beaten by a shown hand
is mucked and stays secret.
"""

from collections.abc import Mapping, Sequence

from casino_games.holdem.record import NOBODY, Seat


def showing_order(contenders: Sequence[Seat], aggressor: Seat) -> list[Seat]:
    """Return the live seats (passed lowest first) clockwise from the aggressor, if any."""
    if aggressor == NOBODY:
        return list(contenders)
    first = contenders.index(aggressor)
    return [*contenders[first:], *contenders[:first]]


def hands_to_show(order: Sequence[Seat], ranks: Mapping[Seat, int]) -> list[Seat]:
    """Return the seats of `order` that show if nobody is all-in; the others muck.

    All have paid the same then and play for one pot.
    """
    shown: list[Seat] = []
    best = ranks[order[0]]
    for seat in order:
        if ranks[seat] <= best:
            best = ranks[seat]
            shown.append(seat)
    return shown
