"""Opponent `equity`: compares its chances in Hold'em with the price, and bluffs now and then."""

from random import Random
from typing import Any

from casino_evaluator.opponents.choices import check_or_call, check_or_fold, raise_to
from casino_evaluator.opponents.holdem_view import HoldemView

Json = dict[str, Any]

_BET_FROM = 0.57
_MORE_FOR_A_RAISE = 0.22
"""What each bet of the other player adds to the equity that a raise needs."""
_MORE_FOR_A_CALL, _ALWAYS_CALL_FROM = 2.0, 0.7
"""Who bets has a better hand than a random one: a call of a bet needs twice the price, up to 0.7"""
_BLUFF_BELOW, _BLUFFS = 0.35, 0.4


def decide(state: Json, offers: tuple[Json, ...], dice: Random) -> Json:
    """Bet and raise the better hands, call at a good price, bluff some of the weak hands."""
    view = HoldemView.of(state)
    share, bluffs = view.equity(dice), dice.random() < _BLUFFS
    if share > _BET_FROM + _MORE_FOR_A_RAISE * view.raises:
        return raise_to(offers, view.total_after(0.75))
    if not view.to_call and share < _BLUFF_BELOW and bluffs:
        return raise_to(offers, view.total_after(0.5))
    needed = view.price
    if view.raises:
        needed = min(_MORE_FOR_A_CALL * needed, _ALWAYS_CALL_FROM)
    return check_or_call(offers) if share > needed else check_or_fold(offers)
