"""Opponent `tight`: plays few hands of Hold'em, and bets them only when they are strong."""

from random import Random
from typing import Any

from casino_games.holdem.starting_hands import chen_points

from casino_evaluator.opponents.choices import check_or_call, check_or_fold, raise_to
from casino_evaluator.opponents.holdem_view import HoldemView

Json = dict[str, Any]

_CALL_FROM, _RAISE_FROM, _PREMIUM = 7.0, 9.0, 12.0
"""Chen points of a hand worth a call, a raise, a raise against a raise."""
_STRONG, _FAIR = 0.75, 0.65
"""Equity worth a bet, and a call."""


def decide(state: Json, offers: tuple[Json, ...], dice: Random) -> Json:
    """Choose starting hands by Chen points; later bet strong hands and give up weak ones."""
    view = HoldemView.of(state)
    if not view.board:
        return _preflop(view, offers)
    share = view.equity(dice)
    if share > _STRONG + 0.08 * view.raises:
        return raise_to(offers, view.total_after(0.66))
    return check_or_call(offers) if share > max(_FAIR, view.price) else check_or_fold(offers)


def _preflop(view: HoldemView, offers: tuple[Json, ...]) -> Json:
    points = chen_points(view.hole_cards)
    if points >= (_PREMIUM if view.raises else _RAISE_FROM):
        return raise_to(offers, view.total_after(1))
    return check_or_call(offers) if points >= _CALL_FROM + view.raises else check_or_fold(offers)
