"""Validate answers against the available actions, for all games.

An offer is an available action. With `min` and `max` it is answered with an `amount`, a whole
number in that range; every other key is a parameter, repeated exactly:

```
{"action_type": "BET", "min": 1, "max": 50}  ->  {"action_type": "BET", "amount": 20}
{"action_type": "PLAY_CARD", "card": 7}      ->  {"action_type": "PLAY_CARD", "card": 7}
```
"""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from casino_games.errors import IllegalAction

Offer: TypeAlias = dict[str, Any]
"""One of `get_available_actions`."""
Answer: TypeAlias = dict[str, Any]
"""Input of `step`: an offer's parameters, and an `amount` if it has a range."""

_RANGE = frozenset({"min", "max"})


def match(action: object, available: Sequence[Offer]) -> Answer:
    """Return `action` as the matching offer's answer, without additional keys.

    Raises `IllegalAction` with the legal actions. The message contains no parameter's value,
    which may be a hidden card.
    """
    values: Answer = action if isinstance(action, dict) else {}
    for offer in available:
        if not all(key in values and is_same(values[key], offer[key]) for key in parameters(offer)):
            continue
        answer = {key: offer[key] for key in parameters(offer)}
        if not has_range(offer):
            return answer
        if is_inside(values.get("amount"), offer):
            return answer | {"amount": values["amount"]}
    raise IllegalAction(f"an action is now {describe(available)}")


def parameters(offer: Offer) -> list[str]:
    """Return the keys that an answer repeats: all but `min` and `max`."""
    return [key for key in offer if key not in _RANGE]


def has_range(offer: Offer) -> bool:
    """Return whether the offer is answered with an `amount`."""
    return offer.keys() >= _RANGE


def is_inside(amount: object, offer: Offer) -> bool:
    """Return whether `amount` is an integer in the offer's range; a bool is not."""
    return type(amount) is int and bool(offer["min"] <= amount <= offer["max"])


def is_same(value: object, offered: object) -> bool:
    """Return whether JSON values are equal, `true` not 1 and 1.0 not 1, as deep as `offered`."""
    if type(value) is not type(offered):
        return False
    if isinstance(offered, list) and isinstance(value, list):
        return len(value) == len(offered) and all(map(is_same, value, offered))
    if isinstance(offered, dict) and isinstance(value, dict):
        return value.keys() == offered.keys() and all(
            is_same(value[key], offered[key]) for key in offered
        )
    return value == offered


def least_of(offer: Offer) -> Answer:
    """Return the answer to an offer with the least risk, which is the `min` of a range."""
    answer = {key: offer[key] for key in parameters(offer)}
    return answer | {"amount": offer["min"]} if has_range(offer) else answer


def describe(available: Iterable[Offer]) -> str:
    """Return a description of the legal actions, without the values of parameters."""
    kinds: dict[str, list[Offer]] = {}
    for offer in available:
        kinds.setdefault(offer["action_type"], []).append(offer)
    if not kinds:
        return "not possible: nobody is asked"
    actions = [f"{kind}{_needs(offers)}" for kind, offers in kinds.items()]
    return "an object whose action_type is one of: " + ", ".join(actions)


def _needs(offers: Sequence[Offer]) -> str:
    """Return the other keys that an answer to offers of one type needs."""
    needs = [f"a {key} that is offered" for key in parameters(offers[0]) if key != "action_type"]
    ranges = {(offer["min"], offer["max"]) for offer in offers if has_range(offer)}
    if len(ranges) == 1:
        least, most = ranges.pop()
        needs.append(f"an amount, a whole number from {least} to {most}")
    elif ranges:
        needs.append("an amount, a whole number in the range of its offer")
    return f" (with {' and '.join(needs)})" if needs else ""
