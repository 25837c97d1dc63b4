"""Does anything that is legal: the first opponent to beat, and a good tester of tables."""

from casino_contracts import ActionRequest, ActionResponse

from casino_player_example.styles.bets import bet_to
from casino_player_example.styles.dice import dice_for


def decide(request: ActionRequest) -> ActionResponse:
    """Draw a legal action; for a bet or a raise draw a size, small ones more often."""
    dice = dice_for(request)
    action = dice.choice(request.legal_actions)
    if action not in {"bet", "raise"}:
        return ActionResponse(action=action)
    return bet_to(request, share=dice.random() ** 3)
