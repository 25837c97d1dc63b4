"""Answering with what is offered: an available action, with an amount where it has a range."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

Action = dict[str, Any]

SAFE = ("check", "pass", "stand", "skip", "wait", "done", "no_bet", "fold")
"""What costs least, the best first: taken where the default action is not on offer."""


def kind_of(action: Mapping[str, Any]) -> str:
    """Return an action's type as it is compared: `ALL-IN` and `all_in` are the same."""
    return str(action.get("action_type", "")).casefold().replace("-", "_").replace(" ", "_")


def range_of(offer: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return the range of an offer's amount; None where it is answered as it stands."""
    least, most = offer.get("min"), offer.get("max")
    if type(least) is int and type(most) is int and least <= most:
        return least, most
    return None


def answer(offer: Mapping[str, Any], amount: int | None = None) -> Action:
    """Return the action that takes an offer; the smallest amount unless another is given.

    >>> answer({"action_type": "BET", "min": 1, "max": 50}, amount=20)
    {'action_type': 'BET', 'amount': 20}

    Raises ValueError for an amount out of range.
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
    """Tell whether an action is exactly one of those on offer."""
    return any(_takes(action, offer) for offer in available)


def _takes(action: Mapping[str, Any], offer: Mapping[str, Any]) -> bool:
    limits = range_of(offer)
    if limits is None:
        return action == offer
    amount = action.get("amount")
    in_range = type(amount) is int and limits[0] <= amount <= limits[1]
    return in_range and action == answer(offer, amount)


def random_action(available: Sequence[Mapping[str, Any]], dice: random.Random) -> Action:
    """Draw an action: a kind of action first, then one of that kind, small amounts more often.

    Giving up and going all in are drawn more rarely than the rest: they end a hand that may be
    worth playing.
    Raises ValueError when nothing is on offer.
    """
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
    """Return what to do when there is no time or no understanding.

    The action that the specification names; a check where that is free and the name is fold; where
    the named one is not on offer, the first of `SAFE` that is; else the first offer, which is
    always legal, one without an amount before one that stakes chips.
    Raises ValueError when nothing is on offer.
    """
    if not available:
        raise ValueError("there is no available action")
    named = kind_of({"action_type": default_timeout_action or ""})
    wanted = ["check", named] if named == "fold" else [named]
    by_kind = {kind_of(offer): offer for offer in reversed(available)}
    for kind in (*wanted, *SAFE):
        if kind in by_kind:
            return answer(by_kind[kind])
    free = [offer for offer in available if range_of(offer) is None]
    return answer((free or list(available))[0])
