"""Basic strategy of blackjack, and bets that aim at a target: the reference player's."""

from random import Random
from typing import Any

from casino_evaluator.opponents import Decide
from casino_games.blackjack.round import VALUES
from casino_games.cards import card_from_text

Json = dict[str, Any]

_ACE, _TEN = 1, 10


def player_for(target: int) -> Decide:
    """Return a player who bets what is missing to a target, and passes once it is reached."""

    def decide(state: Json, offers: tuple[Json, ...], dice: Random) -> Json:
        del dice
        if state["public"]["phase"] == "betting":
            return _bet(state, offers, target)
        offered = {offer["action_type"]: offer for offer in offers}
        return next(offered[kind] for kind in _wishes(state) if kind in offered)

    return decide


def _bet(state: Json, offers: tuple[Json, ...], target: int) -> Json:
    """Bet what is missing, as far as stack and limits allow; pass once nothing is."""
    missing = target - state["public"]["players"][0]["stack"]
    for offer in offers:
        if missing > 0 and offer["action_type"] == "BET":
            return {"action_type": "BET", "amount": min(max(missing, offer["min"]), offer["max"])}
    return {"action_type": "PASS"}


def _wishes(state: Json) -> list[str]:
    """Return the actions from the best one on; one of them is always offered.

    Source: the chart for a dealer who stands on a soft 17, without surrender.
    """
    public = state["public"]
    hand = public["players"][0]["hands"][public["current_hand"]]
    values = [VALUES[card_from_text(name)] for name in hand["cards"]]
    up = VALUES[card_from_text(public["dealer"]["cards"][0])]
    if len(values) == 2 and values[0] == values[1] and _splits(values[0], up):  # noqa: PLR2004
        return ["SPLIT", *_total(hand["total"], hand["is_soft"], up)]
    return _total(hand["total"], hand["is_soft"], up)


def _splits(value: int, up: int) -> bool:
    if value in {_ACE, 8}:
        return True
    up_cards = {2: range(2, 8), 3: range(2, 8), 4: range(5, 7), 6: range(2, 7), 7: range(2, 8)}
    if value == 9:  # noqa: PLR2004
        return up in {2, 3, 4, 5, 6, 8, 9}
    return up in up_cards.get(value, ())


def _total(total: int, is_soft: bool, up: int) -> list[str]:  # noqa: FBT001
    weak = 2 <= up <= 6  # noqa: PLR2004  a dealer who often goes bust
    if is_soft:
        if total >= 19:  # noqa: PLR2004
            return ["STAND"]
        doubles = {18: 3, 17: 3, 16: 4, 15: 4, 14: 5, 13: 5}.get(total, 7) <= up <= 6  # noqa: PLR2004
        if total == 18:  # noqa: PLR2004
            return ["DOUBLE", "STAND"] if doubles else ["STAND" if 2 <= up <= 8 else "HIT"]  # noqa: PLR2004
        return ["DOUBLE", "HIT"] if doubles else ["HIT"]
    if total >= 17 or (total >= 13 and weak) or (total == 12 and 4 <= up <= 6):  # noqa: PLR2004
        return ["STAND"]
    doubles = (
        (total == 11 and up != _ACE)  # noqa: PLR2004
        or (total == 10 and 2 <= up <= 9)  # noqa: PLR2004
        or (total == 9 and 3 <= up <= 6)  # noqa: PLR2004
    )
    return ["DOUBLE", "HIT"] if doubles else ["HIT"]
