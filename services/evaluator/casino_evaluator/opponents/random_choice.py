"""Opponent `random`: any of the offers, in any game."""

from random import Random
from typing import Any

from casino_games import offers as legal

Json = dict[str, Any]

_FEW = 16
"""A range of at most so many amounts is drawn from evenly."""
_POTS = (0.0, 0.5, 1.0)
"""Sizes of a bet or raise in poker, in pots."""


def decide(state: Json, offers: tuple[Json, ...], dice: Random) -> Json:
    """Draw an offer, and where it has a range one of its amounts.

    All-in is a size of a bet or raise and no offer beside it: it is drawn where no other size is
    legal, and where the pot is larger than the stack.
    """
    with_amount = any(map(legal.has_range, offers))
    drawn = dice.choice(
        [offer for offer in offers if not (with_amount and offer["action_type"] == "all-in")]
    )
    answer = legal.least_of(drawn)
    if legal.has_range(drawn):
        answer["amount"] = dice.choice(amounts(drawn["min"], drawn["max"], state["public"]))
    return answer


def amounts(least: int, most: int, public: Json) -> list[int]:
    """Return the amounts that are drawn from, each between the legal ones.

    All amounts of a short range; of a long one the smallest, half a pot and a pot where the game
    has one, and otherwise each twice the last, and the largest.
    """
    if most - least < _FEW:
        return list(range(least, most + 1))
    if "current_bet" in public:
        pot = public["pot"]
        totals = [public["current_bet"] + round(pots * pot) for pots in _POTS]
        return [min(max(total, least), most) for total in totals]
    grid = []
    amount = max(least, 1)
    while amount < most:
        grid.append(amount)
        amount *= 2
    return [*grid, most]
