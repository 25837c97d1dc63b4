"""Choosing among offers by the name of the action."""

from typing import Any

from casino_games import offers as legal

Json = dict[str, Any]
Offers = tuple[Json, ...]


def first_of(offers: Offers, *kinds: str) -> Json:
    """Return the least action of the first kind that is offered; raises ValueError for none."""
    for kind in kinds:
        for offer in offers:
            if offer["action_type"].lower() == kind:
                return legal.least_of(offer)
    raise ValueError(f"none of {', '.join(kinds)} is offered")


def check_or_call(offers: Offers) -> Json:
    """Check if that is free, otherwise call."""
    return first_of(offers, "check", "call", "all-in")


def check_or_fold(offers: Offers) -> Json:
    """Check if that is free, otherwise fold."""
    return first_of(offers, "check", "fold")


def raise_to(offers: Offers, total: int) -> Json:
    """Bet or raise to a total, kept between the legal ones.

    Without a legal raise: all-in if that is offered and more than a call, otherwise call.
    """
    for offer in offers:
        if legal.has_range(offer):
            amount = min(max(total, offer["min"]), offer["max"])
            return {**legal.least_of(offer), "amount": amount}
    return first_of(offers, "all-in", "check", "call")
