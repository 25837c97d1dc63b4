"""Situations in which pokerkit 0.7.7 deviates from the strict rules, recognized by the hand."""

from typing import Literal

from casino_histories import HandHistory

Deviation = Literal[
    "short big blind",
    "short big-blind ante",
    "dead chips beside an ante that somebody is short of",
    "short all-in after a limp or a check",
    "several odd chips",
    "odd chips in side pots",
]


def deviation_of(hand: HandHistory) -> Deviation | None:
    """Return the first situation of the hand in which pokerkit deviates, if there is one."""
    stack = hand.seats[hand.big_seat].stack
    if hand.ante_is_dead and stack < hand.big_blind + hand.ante:
        return "short big-blind ante"
    if not hand.ante_is_dead and stack - hand.ante < hand.big_blind:
        return "short big blind"
    antes = {bet.amount for bet in hand.forced if bet.kind == "ante"}
    if len(antes) > 1 and any(bet.is_dead for bet in hand.forced):
        return "dead chips beside an ante that somebody is short of"
    rests = [pot.amount % len(pot.winners) for pot in hand.pots]
    if max(rests) > 1:
        return "several odd chips"
    if max(rests) > 0 and len(hand.pots) > 1:
        return "odd chips in side pots"
    return "short all-in after a limp or a check" if _has_short_all_in(hand) else None


def _has_short_all_in(hand: HandHistory) -> bool:
    """Return whether somebody was all-in with less than a full bet or raise over a first price."""
    price = {street: hand.big_blind if street == 0 else 0 for street in range(4)}
    for action in hand.actions:
        above = action.total - price[action.street]
        if action.is_all_in and 0 < above < hand.big_blind:
            return True
        price[action.street] = max(price[action.street], action.total)
    return False
