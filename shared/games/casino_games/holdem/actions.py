"""The six action types: which are legal, and how they are applied.

`legal_actions` and `perform` use the same limits, so that exactly the offered actions are accepted.
`amount` is always a total for the street.
"""

from casino_games.config import MOST_CHIPS
from casino_games.errors import IllegalAction
from casino_games.game import Json
from casino_games.holdem.betting import Betting
from casino_games.holdem.record import Chips


def legal_actions(hand: Betting) -> list[Json]:
    """Return the legal actions of the actor, none when the hand is over.

    `bet` and `raise` have `min` and `max` and are offered only if the stack covers a full one; a
    short one is an `all-in`.
    """
    if hand.is_over:
        return []
    to_call = hand.to_call
    actions: list[Json]
    if to_call:
        actions = [{"action_type": "fold"}, {"action_type": "call"}]
    else:
        actions = [{"action_type": "check"}]
    if hand.max_raise_to:
        least = hand.min_raise_to
        if least == hand.price + hand.min_raise:
            kind = "raise" if hand.price else "bet"
            actions.append({"action_type": kind, "min": least, "max": hand.max_raise_to})
        actions.append({"action_type": "all-in"})
    elif to_call == hand.stacks[hand.actor]:
        actions.append({"action_type": "all-in"})
    return actions


def perform(hand: Betting, action: object) -> None:
    """Apply an action of the actor; raises `IllegalAction` without any change.

    Keys other than `action_type` and `amount` are ignored, so that an offered action is accepted
    unchanged.
    """
    values = action if isinstance(action, dict) else {}
    kind = values.get("action_type")
    if kind == "call":
        hand.call()
    elif kind == "check":
        hand.check()
    elif kind == "fold":
        hand.fold()
    elif kind == "all-in":
        hand.all_in()
    elif kind in ("bet", "raise"):
        hand.raise_to(_full_raise_to(hand, kind, values.get("amount")))
    else:
        legal = ", ".join(offered["action_type"] for offered in legal_actions(hand))
        raise IllegalAction(
            "an action is an object whose action_type is now one of: "
            + (legal or "none, the hand is over")
        )


def _full_raise_to(hand: Betting, kind: str, amount: object) -> Chips:
    """Validate the amount; raises `IllegalAction` for values that `raise_to` would misread."""
    if not hand.max_raise_to:
        return 0  # raise_to raises with the reason
    right_kind = "raise" if hand.price else "bet"
    if kind != right_kind:
        raise IllegalAction(
            f"with {hand.price} bet in this round a {kind} is not possible: {right_kind} instead"
        )
    smallest = hand.price + hand.min_raise
    if hand.min_raise_to < smallest:
        raise IllegalAction(
            f"your stack does not reach the smallest {kind}, to {smallest}: go all-in instead"
        )
    # In Python a bool is an int, and an int may have more digits than fit into a message.
    if type(amount) is not int or not 0 < amount <= MOST_CHIPS:
        raise IllegalAction(
            f"a {kind} needs an amount, the whole number of chips you will have in for this round"
        )
    return amount
