"""Style `illegal`: never chooses what is legal; every answer is well formed."""

from casino_contracts import ActionRequest, ActionResponse

from casino_player_example.styles.dice import dice_for


def decide(request: ActionRequest) -> ActionResponse:
    """Make one of the usual mistakes."""
    # Nobody may check when there is something to call, or fold when there is not.
    can_check = "check" in request.legal_actions
    mistakes = [ActionResponse(action="fold" if can_check else "check")]
    for kind in ("bet", "raise"):
        if kind in request.legal_actions and request.max_raise_to is not None:
            mistakes.append(ActionResponse(action=kind))
            mistakes.append(ActionResponse(action=kind, amount=2 * request.max_raise_to))
    if "raise" in request.legal_actions and request.min_raise_to is not None:
        increment = request.min_raise_to - request.current_bet  # the amount is a total
        mistakes.append(ActionResponse(action="raise", amount=increment))
    return dice_for(request).choice(mistakes)
