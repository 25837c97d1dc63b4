"""The reference player of Hold'em against opponents who bet any hand: the price alone decides."""

from random import Random
from typing import Any

from casino_evaluator.opponents.choices import check_or_call, check_or_fold, raise_to
from casino_evaluator.opponents.holdem_view import HoldemView

Json = dict[str, Any]

_BET_FROM, _MORE_FOR_A_RAISE = 0.55, 0.08


def by_price(state: Json, offers: tuple[Json, ...], dice: Random) -> Json:
    """Bet the better hands for their value and call whenever that pays against a random hand."""
    view = HoldemView.of(state)
    share = view.equity(dice)
    if share > _BET_FROM + _MORE_FOR_A_RAISE * view.raises:
        return raise_to(offers, view.total_after(0.75))
    return check_or_call(offers) if share > view.price else check_or_fold(offers)
