"""Build actions with legal bet sizes."""

from casino_contracts import ActionKind, ActionRequest, ActionResponse


def passive(request: ActionRequest) -> ActionResponse:
    """Check if possible, otherwise fold."""
    return ActionResponse(action="check" if "check" in request.legal_actions else "fold")


def call(request: ActionRequest) -> ActionResponse:
    """Check if possible, otherwise call."""
    return ActionResponse(action="check" if "check" in request.legal_actions else "call")


def bet_to(request: ActionRequest, *, share: float) -> ActionResponse:
    """Bet or raise; `share` 0 is the smallest legal total, 1 the largest.

    If no full raise is legal: all-in if that is legal, otherwise call.
    """
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
    """Return the number of decimal places of an amount."""
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
