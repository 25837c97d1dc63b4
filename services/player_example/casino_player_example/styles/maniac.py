"""Style `maniac`: raises often and never folds."""

from casino_contracts import ActionRequest, ActionResponse

from casino_player_example.styles.bets import call, pot_sized
from casino_player_example.styles.dice import dice_for

_LINES = ("Too easy.", "I can feel it.", "All day long.", "You will not call this.")


def decide(request: ActionRequest) -> ActionResponse:
    """Raise in two of three turns, up to twice the pot; otherwise call."""
    dice = dice_for(request)
    if dice.random() < 1 / 3:
        return call(request)
    response = pot_sized(request, pots=dice.choice((0.5, 0.75, 1.0, 2.0)))
    if dice.random() < 1 / 4:
        return response.model_copy(update={"message": dice.choice(_LINES)})
    return response
