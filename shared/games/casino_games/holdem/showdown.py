"""Who has to show at the end of a hand, and in which order.

When betting ends with somebody all-in, all live hands are shown (TDA 16), before the streets that
are still to come. Otherwise the last aggressor of the river shows first, or with no bet the first
live seat left of the button, and the others follow clockwise (TDA 17). A hand that is beaten by
what has been shown is mucked, and stays secret.
"""

from collections.abc import Mapping, Sequence

from casino_games.holdem.record import NOBODY, Seat


def showing_order(contenders: Sequence[Seat], aggressor: Seat) -> list[Seat]:
    """Return the live seats (given lowest first) clockwise from the aggressor, if there was one."""
    if aggressor == NOBODY:
        return list(contenders)
    first = contenders.index(aggressor)
    return [*contenders[first:], *contenders[:first]]


def hands_to_show(order: Sequence[Seat], ranks: Mapping[Seat, int]) -> list[Seat]:
    """Return the seats of `order` that show when nobody is all-in; the others muck.

    Nobody is all-in, so all have paid the same and play for one pot: beaten there is beaten.
    """
    shown: list[Seat] = []
    best = ranks[order[0]]
    for seat in order:
        if ranks[seat] <= best:
            best = ranks[seat]
            shown.append(seat)
    return shown
