"""Choose and build actions from the available ones, with an amount if they have a range.

A player of any lobby does not have the rules, so this is not `casino_games.offers`, which checks
answers at a table; a test holds that both read an offer alike.
"""

import random
from collections.abc import Mapping, Sequence
from typing import Any

Action = dict[str, Any]

FIRST_OFFERED = "first_offered"
"""The default action of a made specification: no action has this name."""

SAFE = ("check", "pass", "stand", "skip", "wait", "done", "no_bet", "fold")
"""Fallbacks for a default action that is not available, the cheapest first."""


def kind_of(action: Mapping[str, Any]) -> str:
    """Return an action's normalised type: `ALL-IN` and `all_in` are equal."""
    return str(action.get("action_type", "")).casefold().replace("-", "_").replace(" ", "_")


def range_of(offer: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return the range of an offer's amount, None if it has no amount to choose."""
    least, most = offer.get("min"), offer.get("max")
    if type(least) is int and type(most) is int and least <= most:
        return least, most
    return None


def answer(offer: Mapping[str, Any], amount: int | None = None) -> Action:
    """Return the action that takes an offer, by default with the smallest amount.

    >>> answer({"action_type": "BET", "min": 1, "max": 50}, amount=20)
    {'action_type': 'BET', 'amount': 20}

    Raises ValueError if the amount is out of range.
    """
    limits = range_of(offer)
    if limits is None:
        return dict(offer)
    least, most = limits
    if amount is not None and not least <= amount <= most:
        raise ValueError(f"the amount must be {least} to {most}")
    literal = {key: value for key, value in offer.items() if key not in {"min", "max"}}
    return {**literal, "amount": least if amount is None else amount}


def is_offered(action: Mapping[str, Any], available: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether an action matches one of the available ones exactly."""
    return any(_matches(action, offer) for offer in available)


def _matches(action: Mapping[str, Any], offer: Mapping[str, Any]) -> bool:
    limits = range_of(offer)
    if limits is None:
        return action == offer
    amount = action.get("amount")
    in_range = type(amount) is int and limits[0] <= amount <= limits[1]
    return in_range and action == answer(offer, amount)


def random_action(available: Sequence[Mapping[str, Any]], dice: random.Random) -> Action:
    """Draw an action by type, folds, all-ins and large amounts rarely; raises ValueError."""
    if not available:
        raise ValueError("there is no available action")
    kinds = list(dict.fromkeys(map(kind_of, available)))
    rare = {"fold", "surrender", "all_in", "resign"}
    kind = dice.choices(kinds, [0.2 if kind in rare else 1.0 for kind in kinds])[0]
    offer = dice.choice([offer for offer in available if kind_of(offer) == kind])
    limits = range_of(offer)
    if limits is None:
        return answer(offer)
    least, most = limits
    return answer(offer, least + int((most - least) * dice.random() ** 3))


def default_action(
    available: Sequence[Mapping[str, Any]], default_timeout_action: str | None = None
) -> Action:
    """Return the action to take on a timeout or an error.

    The first action, if the specification's default is `FIRST_OFFERED`; else, in this order: a
    check, if it is fold; the specification's default; the first available of `SAFE`; the first
    action without an amount; the first action.
    Raises ValueError if no action is available.
    """
    if not available:
        raise ValueError("there is no available action")
    if default_timeout_action == FIRST_OFFERED:
        return answer(available[0])
    default = kind_of({"action_type": default_timeout_action or ""})
    preferred = ["check", default] if default == "fold" else [default]
    by_kind = {kind_of(offer): offer for offer in reversed(available)}
    for kind in (*preferred, *SAFE):
        if kind in by_kind:
            return answer(by_kind[kind])
    free = [offer for offer in available if range_of(offer) is None]
    return answer((free or list(available))[0])
