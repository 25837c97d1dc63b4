"""What the styles of Hold'em share: legal bets, facts of a question, and chance derived from it."""

import random

from casino_contracts import ActionKind, ActionRequest, ActionResponse


def passive(request: ActionRequest) -> ActionResponse:
    return ActionResponse(action="check" if "check" in request.legal_actions else "fold")


def call(request: ActionRequest) -> ActionResponse:
    return ActionResponse(action="check" if "check" in request.legal_actions else "call")


def bet_to(request: ActionRequest, *, share: float) -> ActionResponse:
    """Bet `share` between the least (0) and largest (1) legal total; else all-in, or call."""
    totals = _totals(request)
    if totals is None:
        return ActionResponse(action="all-in") if _may_shove(request) else call(request)
    smallest, largest = totals
    action: ActionKind = "bet" if "bet" in request.legal_actions else "raise"
    places = max(_decimals(smallest), _decimals(largest))
    total = round(smallest + share * (largest - smallest), places)
    return ActionResponse(action=action, amount=min(max(total, smallest), largest))


def _totals(request: ActionRequest) -> tuple[float, float] | None:
    """Return the smallest and the largest legal total; None if neither bet nor raise is legal.

    A table that knows only the protocol document sends neither: they follow from its fields. The
    largest is then the stack alone, because the player's own bet of this round is unknown.
    """
    if request.min_raise_to is not None and request.max_raise_to is not None:
        return request.min_raise_to, request.max_raise_to
    if "bet" not in request.legal_actions and "raise" not in request.legal_actions:
        return None
    smallest = request.current_bet + request.minimum_raise
    return smallest, max(smallest, request.player_stack)


def _decimals(amount: float) -> int:
    return len(str(amount).partition(".")[2]) if type(amount) is float else 0


def pot_sized(request: ActionRequest, *, pots: float) -> ActionResponse:
    """Bet or raise by `pots` times the pot after a call, limited to the legal totals."""
    smallest, largest = _totals(request) or (0, 0)
    if largest <= smallest:
        return bet_to(request, share=0)
    to_call = request.to_call or 0
    total = request.current_bet + pots * (request.pot + to_call)
    share = (total - smallest) / (largest - smallest)
    return bet_to(request, share=min(max(share, 0.0), 1.0))


def _may_shove(request: ActionRequest) -> bool:
    return "all-in" in request.legal_actions


def opponents_in(request: ActionRequest) -> int:
    if request.players is None:
        return 1
    others = [
        player
        for player in request.players
        if player.player_id != request.player_id and player.status != "folded"
    ]
    return max(1, len(others))


def price_of(request: ActionRequest) -> float:
    """Return the equity that a call needs to break even; 0 if checking is free."""
    to_call = request.to_call
    if to_call is None:  # optional in the protocol
        to_call = min(request.current_bet, request.player_stack)
    return to_call / (request.pot + to_call) if to_call else 0.0


def dice_for(request: ActionRequest) -> random.Random:
    question = request.request_id
    if not question and isinstance(request, ActionRequest):
        question = request.model_dump_json(exclude={"deadline_ms"})
    # The table is part of the seed, so that other tables cannot reproduce the decisions.
    seed = f"{request.table_id} {request.player_id} {question}"
    return random.Random(seed)  # noqa: S311  a game, not a secret
