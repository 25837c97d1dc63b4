"""The chips of a hand when the cards of a street were dealt, read from its actions. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

from casino_games.holdem import Hand
from casino_games.holdem.pots import Pot, build_pots


class Situation(NamedTuple):
    """Who could still bet how much on a street."""

    live: tuple[int, ...]
    """The seats that had not folded, lowest first."""
    pots: tuple[Pot, ...]
    """The chips in the middle, and who contests them."""
    behind: tuple[int, ...]
    """The chips in front of each seat."""


def contenders_of(hand: Hand) -> tuple[int, ...]:
    """Return the seats that never folded."""
    return tuple(seat for seat in range(len(hand.stacks)) if hand.live >> seat & 1)


def won_by(hand: Hand) -> list[int]:
    """Return what the pots of a hand that is over paid to each seat."""
    won = [0] * len(hand.stacks)
    for pot in hand.awards:
        for seat, amount in pot.winners:
            won[seat] += amount
    return won


def situations_of(hand: Hand) -> list[Situation]:
    """Return the situation of the flop, the turn and the river, as far as seats could still bet."""
    contributed = list(hand.contributed)
    behind = [stack - won for stack, won in zip(hand.stacks, won_by(hand), strict=True)]
    # A dead ante is in the pot, and no seat's contribution.
    dead = sum(pot.amount for pot in hand.awards) - sum(contributed)
    if hand.uncalled:
        contributed[hand.uncalled.seat] += hand.uncalled.amount
        behind[hand.uncalled.seat] -= hand.uncalled.amount
    live = set(contenders_of(hand))
    situations = []
    street = hand.betting_ended_on
    for seat, street_of_action, kind, _, paid, _, _ in reversed(hand.actions):
        if street_of_action < street:
            situations.append(_situation(live, contributed, behind, dead))
        street = street_of_action
        contributed[seat] -= paid
        behind[seat] += paid
        if kind == "fold":
            live.add(seat)
    return situations[::-1]


def _situation(
    live: set[int], contributed: Sequence[int], behind: Sequence[int], dead: int
) -> Situation:
    contenders = sorted(live)
    pots = build_pots(contributed, contenders, sum(contributed) + dead)
    return Situation(tuple(contenders), tuple(pots), tuple(behind))
