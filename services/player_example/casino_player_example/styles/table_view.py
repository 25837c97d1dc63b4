"""What a player reads off the table before it thinks."""

from casino_contracts import ActionRequest


def opponents_in(request: ActionRequest) -> int:
    """Return how many others are still in; one where the table does not say."""
    if request.players is None:
        return 1
    others = [
        player
        for player in request.players
        if player.player_id != request.player_id and player.status != "folded"
    ]
    return max(1, len(others))


def price_of(request: ActionRequest) -> float:
    """Return the share of the pot that a call has to win to be worth it; 0 where it is free."""
    to_call = request.to_call
    if to_call is None:  # a table that knows only the protocol document
        to_call = min(request.current_bet, request.player_stack)
    return to_call / (request.pot + to_call) if to_call else 0.0
