"""Decisions of Texas Hold'em players that follow from a seed or from the question."""

import random

from casino_contracts import ActionRequest, ActionResponse

from support.table.table_side import Decide, calling


def any_legal(request: ActionRequest) -> ActionResponse:
    """Take a legal action that follows from the question's id."""
    dice = random.Random(request.request_id)
    action = dice.choice(request.legal_actions)
    amount = request.min_raise_to if action in {"bet", "raise"} else None
    return ActionResponse(action=action, amount=amount)


def illegal(request: ActionRequest) -> ActionResponse:
    """Take an action that is not offered, every time."""
    return ActionResponse(action="bet" if "bet" not in request.legal_actions else "raise")


MIXED = (any_legal, any_legal, calling, illegal)
"""Four players; the released journals were played by them."""


def lively(seed: str, *, all_in: float = 0.1, too_small: float = 0.0) -> Decide:
    """Return a player that folds, calls, raises, talks and fails; its reasoning names its cards.

    `all_in` and `too_small` are the shares of its all-ins and of raises below the minimum.
    """
    dice = random.Random(seed)

    def decide(request: ActionRequest) -> ActionResponse:
        draw = dice.random()
        if draw < 0.03:
            raise RuntimeError("no answer")
        answer = _answer(request, draw)
        return answer.model_copy(update={"reasoning": f"holding {_cards(request)}"})

    def _answer(request: ActionRequest, draw: float) -> ActionResponse:
        if draw < 0.3 and "fold" in request.legal_actions:
            return ActionResponse(action="fold", message="not this time")
        if draw < 0.3 + too_small:
            return ActionResponse(action="raise", amount=1)
        if draw > 1 - all_in and "all-in" in request.legal_actions:
            return ActionResponse(action="all-in")
        if draw > 0.7 and request.min_raise_to is not None:
            kind = "bet" if "bet" in request.legal_actions else "raise"
            return ActionResponse.model_validate({"action": kind, "amount": request.min_raise_to})
        return ActionResponse(action="check" if "check" in request.legal_actions else "call")

    return decide


def _cards(request: ActionRequest) -> str:
    return " ".join(card.text for card in request.hole_cards or ())
