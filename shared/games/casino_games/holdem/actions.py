"""The six words of the wire, and what each means for the seat that decides.

`legal_actions` offers them and `perform` takes them; both follow the same limits, so that all
that is offered is accepted and nothing else. `amount` is always a total for the street.
"""

from casino_games.errors import IllegalAction
from casino_games.game import Json
from casino_games.holdem.betting import Betting
from casino_games.holdem.config import MOST_CHIPS
from casino_games.holdem.record import Chips


def legal_actions(hand: Betting) -> list[Json]:
    """Return what the actor may do, nothing when the hand is over.

    `bet` and `raise` carry `min` and `max` and are offered only when a full one is
    affordable; a short one is an `all-in`.
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
    """Let the actor do what `action` says, or raise `IllegalAction` and change nothing.

    Keys other than `action_type` and `amount` are ignored, so that an offered action can be
    handed back.
    """
    asked = action if isinstance(action, dict) else {}
    kind = asked.get("action_type")
    if kind == "call":
        hand.call()
    elif kind == "check":
        hand.check()
    elif kind == "fold":
        hand.fold()
    elif kind == "all-in":
        hand.all_in()
    elif kind in ("bet", "raise"):
        hand.raise_to(_full_raise_to(hand, kind, asked.get("amount")))
    else:
        legal = ", ".join(offered["action_type"] for offered in legal_actions(hand))
        raise IllegalAction(
            "an action is an object whose action_type is now one of: "
            + (legal or "none, the hand is over")
        )


def _full_raise_to(hand: Betting, kind: str, amount: object) -> Chips:
    """Return the amount, after refusing what `raise_to` would take or misunderstand."""
    if not hand.max_raise_to:
        return 0  # and raise_to tells why not
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
    # To Python a bool is an int, and an int may have more digits than can be told in a message.
    if type(amount) is not int or not 0 < amount <= MOST_CHIPS:
        raise IllegalAction(
            f"a {kind} needs an amount, the whole number of chips you will have in for this round"
        )
    return amount
