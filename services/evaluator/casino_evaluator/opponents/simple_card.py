"""Opponents `highest` and `saver` of simple card."""

from random import Random
from typing import Any

Json = dict[str, Any]


def highest(state: Json, offers: tuple[Json, ...], dice: Random) -> Json:
    """Play the highest card."""
    del state, dice
    return max(offers, key=_card)


def saver(state: Json, offers: tuple[Json, ...], dice: Random) -> Json:
    """Lead with the highest card; otherwise win as cheaply as possible, or play the lowest card.

    A card as high as the one on the table keeps the other player from a point.
    """
    on_table = state["public"]["on_table"]
    if not on_table:
        return highest(state, offers, dice)
    best = max(played["card"] for played in on_table)
    winning = [offer for offer in offers if offer["card"] > best]
    equal = [offer for offer in offers if offer["card"] == best]
    return min(winning or equal or offers, key=_card)


def _card(offer: Json) -> int:
    card: int = offer["card"]
    return card
