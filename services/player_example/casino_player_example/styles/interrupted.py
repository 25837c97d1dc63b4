"""Styles `garbage` and `disconnecting`: a sound decision that `sabotage` spoils on its way."""

from casino_contracts import ActionRequest, ActionResponse

from casino_player_example.sabotage import MARK
from casino_player_example.styles import caller


def decide(request: ActionRequest) -> ActionResponse:
    """Decide as `caller`, with the mark of an answer to spoil."""
    return caller.decide(request).model_copy(update={"reasoning": MARK})
