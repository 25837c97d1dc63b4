"""The end of a hand: the order of showing, uncalled bets, side pots, odd chips.

Every pot is awarded separately among those who paid its level (TDA 21), and a split leaves its odd
chips one each to the first winners left of the button (TDA 20A).

If a player is all-in when betting ends, all live hands are shown (TDA 16), before the remaining
streets. Otherwise the last aggressor of the river shows first, or without a bet the first live seat
left of the button, and the others follow clockwise (TDA 17). A hand that is beaten by a shown hand
is mucked and stays secret.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from casino_games.holdem.betting import NOBODY, Chips, Seat

_new: Final = tuple.__new__
"""Makes a named tuple in half the time that a call of its class takes."""


class Pot(NamedTuple):
    """Chips and the seats that contest them, lowest seat first."""

    amount: Chips
    eligible: tuple[Seat, ...]


class Payment(NamedTuple):
    """Chips that go to one seat."""

    seat: Seat
    amount: Chips


class Award(NamedTuple):
    """A pot and its payments."""

    amount: Chips
    eligible: tuple[Seat, ...]
    winners: tuple[Payment, ...]


def uncalled_bet(contributed: Sequence[Chips]) -> Payment | None:
    """Return what nobody matched of the largest bet: no part of a pot, returned before awards."""
    second, largest = sorted(contributed)[-2:]
    if largest == second:
        return None
    return Payment(contributed.index(largest), largest - second)


def build_pots(contributed: Sequence[Chips], contenders: Sequence[Seat], total: Chips) -> list[Pot]:
    """Return the main pot and then the side pots.

    `contributed` are the chips of each seat, including folded seats and without the uncalled bet;
    `contenders` are the live seats, lowest first. The main pot is the part of `total` that is in
    no side pot, including a dead ante.
    """
    lowest = contributed[contenders[0]]
    for seat in contenders:
        if contributed[seat] != lowest:
            break
    else:
        return [Pot(total, tuple(contenders))]
    pots: list[Pot] = []
    levels = sorted({contributed[seat] for seat in contenders})
    in_side_pots = 0
    while len(levels) > 1:
        level = levels.pop()
        above_next = sum(chips - levels[-1] for chips in contributed if chips > levels[-1])
        eligible = tuple(seat for seat in contenders if contributed[seat] >= level)
        pots.append(Pot(above_next - in_side_pots, eligible))
        in_side_pots = above_next
    pots.append(Pot(total - in_side_pots, tuple(contenders)))
    pots.reverse()
    return pots


def award(pot: Pot, ranks: dict[Seat, int]) -> Award:
    """Award a pot to the best rank (the lowest number) among its contenders."""
    return award_to_best(pot.amount, pot.eligible, ranks)


def award_to_best(amount: Chips, eligible: tuple[Seat, ...], ranks: dict[Seat, int]) -> Award:
    """Do the same for chips that are not a `Pot`: most hands have one, and it is made often."""
    best = ranks[eligible[0]]
    winners: list[Seat] = []
    for seat in eligible:
        rank = ranks[seat]
        if rank == best:
            winners.append(seat)
        elif rank < best:
            best = rank
            winners = [seat]
    return _new(Award, (amount, eligible, split(amount, winners)))


def split(amount: Chips, winners: Sequence[Seat]) -> tuple[Payment, ...]:
    """Share chips among winners, lowest seat first; the first ones get an odd chip each."""
    if len(winners) == 1:
        return (_new(Payment, (winners[0], amount)),)
    share, odd_chips = divmod(amount, len(winners))
    return tuple([Payment(seat, share + (place < odd_chips)) for place, seat in enumerate(winners)])


def showing_order(contenders: Sequence[Seat], aggressor: Seat) -> list[Seat]:
    """Return the live seats (passed lowest first) clockwise from the aggressor, if any."""
    if aggressor == NOBODY:
        return list(contenders)
    first = contenders.index(aggressor)
    return [*contenders[first:], *contenders[:first]]


def hands_to_show(order: Sequence[Seat], ranks: Mapping[Seat, int]) -> list[Seat]:
    """Return who shows of `order`, when nobody is all-in: all have paid the same for one pot."""
    shown: list[Seat] = []
    best = ranks[order[0]]
    for seat in order:
        if ranks[seat] <= best:
            best = ranks[seat]
            shown.append(seat)
    return shown
