"""A player of the original casino's kind, on the standard library alone: `agent.py PORT`.

It knows the invoke profile, the nine fields of a question, and that `amount` is what is added.
"""

import sys
from typing import Any

from invoke import Entrypoint, InvokeAgent

RANKS = "23456789TJQKA"
ROUNDS = ("preflop", "flop", "turn", "river")
SUITS = ("hearts", "diamonds", "clubs", "spades")
KINDS = ("fold", "check", "call", "bet", "raise", "all-in")


def is_text(value: Any) -> bool:
    """Return whether a value is a text."""
    return isinstance(value, str)


def is_amount(value: Any) -> bool:
    """Return whether a value is a number of at least 0."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0


def is_chips(value: Any) -> bool:
    """Return whether a value is a number above 0."""
    return is_amount(value) and value > 0


def are_cards(value: Any) -> bool:
    """Return whether a value is a list of cards."""
    return isinstance(value, list) and all(
        isinstance(card, dict)
        and card.get("rank") in tuple(RANKS)
        and card.get("suit") in SUITS
        and len(card) == 2
        for card in value
    )


INVITATION = {
    "casinoName": is_text,
    "tableId": is_text,
    "roomId": is_text,
    "minBuyIn": is_chips,
    "maxBuyIn": is_chips,
    "smallBlind": is_chips,
    "bigBlind": is_chips,
}
QUESTION = {
    "tableId": is_text,
    "bettingRound": lambda value: value in ROUNDS,
    "communityCards": are_cards,
    "holeCards": lambda value: are_cards(value) and len(value) == 2,
    "pot": is_amount,
    "minimumRaise": is_amount,
    "currentBet": is_amount,
    "playerStack": is_amount,
    "legalActions": lambda value: bool(value) and set(value) <= set(KINDS),
}


def signup(_invitation: dict[str, Any]) -> dict[str, Any]:
    """Accept an invitation; the casino chooses the buy-in."""
    return {"displayName": "Python", "actionSkill": "act"}


def act(question: dict[str, Any]) -> dict[str, Any]:
    """Bet a tenth of the stack, raise by the least or all of it, and say what is added."""
    legal, to_call, stack = (
        question[name] for name in ("legalActions", "currentBet", "playerStack")
    )
    first, second = question["holeCards"]
    high, low = sorted((RANKS.index(first["rank"]), RANKS.index(second["rank"])), reverse=True)
    least = question["minimumRaise"]
    if high == low and "all-in" in legal and question["bettingRound"] == "river":
        return {"action": "all-in", "amount": stack, "message": f"adding {stack}"}
    if "bet" in legal and high >= RANKS.index("Q"):
        amount = min(stack, max(least, round(stack * 0.1)))
        return {"action": "bet", "amount": amount, "message": f"adding {amount}"}
    if "raise" in legal and low >= RANKS.index("T") and to_call * 4 < stack:
        amount = to_call + least
        return {"action": "raise", "amount": amount, "message": f"adding {amount}"}
    if "check" in legal:
        return {"action": "check"}
    if "call" in legal and (high >= RANKS.index("T") or to_call * 8 < stack):
        return {"action": "call", "amount": to_call}
    return {"action": "fold"}


if __name__ == "__main__":
    player = InvokeAgent("Python", int(sys.argv[1]))
    player.offer("signup", Entrypoint(INVITATION, signup))
    player.offer("act", Entrypoint(QUESTION, act))
    player.serve_forever()
