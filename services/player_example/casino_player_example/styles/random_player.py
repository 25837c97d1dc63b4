"""Style `random`: plays random legal actions; also useful to test tables."""

from casino_contracts import ActionRequest, ActionResponse

from casino_player_example.styles.bets import bet_to
from casino_player_example.styles.dice import dice_for


def decide(request: ActionRequest) -> ActionResponse:
    """Draw a legal action, and for a bet or raise a size with a bias to small ones."""
    dice = dice_for(request)
    action = dice.choice(request.legal_actions)
    if action not in {"bet", "raise"}:
        return ActionResponse(action=action)
    return bet_to(request, share=dice.random() ** 3)
