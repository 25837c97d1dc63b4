"""The six action types: which are legal, and how they are applied.

`legal_actions` and `perform` use the same limits, so that exactly the offered actions are accepted.
`amount` is always a total for the street.
"""

from typing import Any, NoReturn

from casino_games.config import MOST_CHIPS
from casino_games.errors import IllegalAction
from casino_games.game import Json
from casino_games.holdem.betting import Betting
from casino_games.holdem.record import Kind


def legal_actions(hand: Betting) -> list[Json]:  # noqa: PLR0911 - a list for each case
    """Return the legal actions of the actor, none when the hand is over.

    `bet` and `raise` have `min` and `max` and are offered only if the stack covers a full one; a
    short one is an `all-in`.
    """
    to_call = hand.to_call
    most = hand.max_raise_to
    if not most:
        if hand.is_over:
            return []
        if not to_call:
            return [{"action_type": "check"}]
        if to_call < hand.stacks[hand.actor]:
            return [{"action_type": "fold"}, {"action_type": "call"}]
        return [{"action_type": "fold"}, {"action_type": "call"}, {"action_type": "all-in"}]
    least = hand.min_raise_to
    price = hand.price
    if least == most and least < price + hand.min_raise:
        if not to_call:
            return [{"action_type": "check"}, {"action_type": "all-in"}]
        return [{"action_type": "fold"}, {"action_type": "call"}, {"action_type": "all-in"}]
    full = {"action_type": "raise" if price else "bet", "min": least, "max": most}
    if not to_call:
        return [{"action_type": "check"}, full, {"action_type": "all-in"}]
    return [{"action_type": "fold"}, {"action_type": "call"}, full, {"action_type": "all-in"}]


def perform(hand: Betting, action: Any) -> None:
    """Apply an action of the actor; raises `IllegalAction` without any change.

    Keys other than `action_type` and `amount` are ignored, so that an offered action is accepted
    unchanged.
    """
    kind = action.get("action_type") if isinstance(action, dict) else None
    if kind == "call":
        hand.call()
    elif kind == "check":
        hand.check()
    elif kind in ("bet", "raise"):
        amount = action.get("amount")
        right_kind: Kind = "raise" if hand.price else "bet"
        if (
            kind != right_kind
            or type(amount) is not int  # a bool is an int for Python
            or not hand.price + hand.min_raise <= amount <= hand.max_raise_to
        ):
            _refuse_raise(hand, kind, amount)
        hand.bet_to(amount, right_kind)
    elif kind == "fold":
        hand.fold()
    elif kind == "all-in":
        hand.all_in()
    else:
        legal = ", ".join(offered["action_type"] for offered in legal_actions(hand))
        raise IllegalAction(
            "an action is an object whose action_type is now one of: "
            + (legal or "none, the hand is over")
        )


def _refuse_raise(hand: Betting, kind: str, amount: object) -> NoReturn:
    """Raise `IllegalAction` with the reason why a bet or raise is not legal."""
    if hand.max_raise_to:
        right_kind = "raise" if hand.price else "bet"
        if kind != right_kind:
            raise IllegalAction(
                f"with {hand.price} bet in this round a {kind} is not possible:"
                f" {right_kind} instead"
            )
        smallest = hand.price + hand.min_raise
        if hand.min_raise_to < smallest:
            raise IllegalAction(
                f"your stack does not reach the smallest {kind}, to {smallest}: go all-in instead"
            )
        # In Python a bool is an int, and an int may have more digits than fit into a message.
        if type(amount) is not int or not 0 < amount <= MOST_CHIPS:
            raise IllegalAction(
                f"a {kind} needs an amount, the whole number of chips you will have in for this"
                " round"
            )
    hand.refuse_raise_to(amount if type(amount) is int else 0)
