"""Facts derived from a request: number of opponents and pot odds."""

from casino_contracts import ActionRequest


def opponents_in(request: ActionRequest) -> int:
    """Return the number of opponents that have not folded; 1 if the table does not send it."""
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
