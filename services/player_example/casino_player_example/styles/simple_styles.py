"""The styles of a few lines: caller, random, maniac, and those with a fault."""

from casino_contracts import ActionRequest, ActionResponse

from casino_player_example.sabotage import MARK
from casino_player_example.styles.bets import bet_to, call, dice_for, pot_sized

_LINES = ("Too easy.", "I can feel it.", "All day long.", "You will not call this.")


def call_everything(request: ActionRequest) -> ActionResponse:
    return ActionResponse(action="check" if "check" in request.legal_actions else "call")


def play_at_random(request: ActionRequest) -> ActionResponse:
    """Draw a legal action, and for a bet or raise a size with a bias to small ones."""
    dice = dice_for(request)
    action = dice.choice(request.legal_actions)
    if action not in {"bet", "raise"}:
        return ActionResponse(action=action)
    return bet_to(request, share=dice.random() ** 3)


def raise_often(request: ActionRequest) -> ActionResponse:
    """Raise in two of three turns, up to twice the pot; otherwise call."""
    dice = dice_for(request)
    if dice.random() < 1 / 3:
        return call(request)
    response = pot_sized(request, pots=dice.choice((0.5, 0.75, 1.0, 2.0)))
    if dice.random() < 1 / 4:
        return response.model_copy(update={"message": dice.choice(_LINES)})
    return response


def break_rules(request: ActionRequest) -> ActionResponse:
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


def be_interrupted(request: ActionRequest) -> ActionResponse:
    """Decide as `caller`, with the mark of an answer to spoil."""
    return call_everything(request).model_copy(update={"reasoning": MARK})
