"""An answer held against what was offered: one place for what "legal" means in every game.

An offer is an available action. `min` and `max` make it a range, which is answered with an
`amount`, a whole number inside it; every other key is a parameter, repeated exactly::

    {"action_type": "BET", "min": 1, "max": 50}  ->  {"action_type": "BET", "amount": 20}
    {"action_type": "PLAY_CARD", "card": 7}      ->  {"action_type": "PLAY_CARD", "card": 7}
"""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from casino_games.errors import IllegalAction

Offer: TypeAlias = dict[str, Any]
"""One of `get_available_actions`."""
Answer: TypeAlias = dict[str, Any]
"""What `step` takes: an offer's parameters, and an `amount` where it has a range."""

_RANGE = frozenset({"min", "max"})


def match(action: object, available: Sequence[Offer]) -> Answer:
    """Return the answer that `action` is, without keys that nobody asked for.

    Raises `IllegalAction` with what would be legal. The message names no parameter's value:
    it may be a card that nobody has seen.
    """
    asked: Answer = action if isinstance(action, dict) else {}
    for offer in available:
        if not all(key in asked and is_same(asked[key], offer[key]) for key in parameters(offer)):
            continue
        answer = {key: offer[key] for key in parameters(offer)}
        if not has_range(offer):
            return answer
        if is_inside(asked.get("amount"), offer):
            return answer | {"amount": asked["amount"]}
    raise IllegalAction(f"an action is now {describe(available)}")


def parameters(offer: Offer) -> list[str]:
    """Return the keys that an answer repeats: all but those of the range."""
    return [key for key in offer if key not in _RANGE]


def has_range(offer: Offer) -> bool:
    """Tell whether the offer is answered with an `amount`."""
    return offer.keys() >= _RANGE


def is_inside(amount: object, offer: Offer) -> bool:
    """Tell whether `amount` is a whole number in the offer's range; a bool is no number."""
    return type(amount) is int and bool(offer["min"] <= amount <= offer["max"])


def is_same(given: object, offered: object) -> bool:
    """Tell whether two JSON values are equal, where `true` is not 1 and 1.0 is not 1.

    It follows the offered value, which is ours, so no answer can make it go deep.
    """
    if type(given) is not type(offered):
        return False
    if isinstance(offered, list) and isinstance(given, list):
        return len(given) == len(offered) and all(map(is_same, given, offered))
    if isinstance(offered, dict) and isinstance(given, dict):
        return given.keys() == offered.keys() and all(
            is_same(given[key], offered[key]) for key in offered
        )
    return given == offered


def least_of(offer: Offer) -> Answer:
    """Return the answer to an offer that risks least: of a range its `min`."""
    answer = {key: offer[key] for key in parameters(offer)}
    return answer | {"amount": offer["min"]} if has_range(offer) else answer


def describe(available: Iterable[Offer]) -> str:
    """Return in words what is legal, without the values of parameters."""
    kinds: dict[str, list[Offer]] = {}
    for offer in available:
        kinds.setdefault(offer["action_type"], []).append(offer)
    if not kinds:
        return "not possible: nobody is asked"
    told = [f"{kind}{_needs(offers)}" for kind, offers in kinds.items()]
    return "an object whose action_type is one of: " + ", ".join(told)


def _needs(offers: Sequence[Offer]) -> str:
    """Return what the answer to offers of one type needs beside the type."""
    needs = [f"a {key} that is offered" for key in parameters(offers[0]) if key != "action_type"]
    ranges = {(offer["min"], offer["max"]) for offer in offers if has_range(offer)}
    if len(ranges) == 1:
        least, most = ranges.pop()
        needs.append(f"an amount, a whole number from {least} to {most}")
    elif ranges:
        needs.append("an amount, a whole number in the range of its offer")
    return f" (with {' and '.join(needs)})" if needs else ""
