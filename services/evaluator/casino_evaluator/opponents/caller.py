"""Opponent `caller`: never folds and never raises."""

from random import Random
from typing import Any

from casino_evaluator.opponents.choices import check_or_call

Json = dict[str, Any]


def decide(state: Json, offers: tuple[Json, ...], dice: Random) -> Json:
    """Check if that is free, otherwise call."""
    del state, dice
    return check_or_call(offers)
