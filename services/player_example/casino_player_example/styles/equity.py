"""Style `equity`: compares its equity, estimated by sampling, with the pot odds."""

import numpy as np
from casino_contracts import ActionRequest, ActionResponse
from casino_games.cards import card_from_text
from casino_games.holdem.odds import equity

from casino_player_example.styles.bets import (
    call,
    dice_for,
    opponents_in,
    passive,
    pot_sized,
    price_of,
)


def decide(request: ActionRequest) -> ActionResponse:
    """Raise well above a fair share, call above the pot odds, otherwise check or fold."""
    opponents = opponents_in(request)
    generator = np.random.default_rng(dice_for(request).getrandbits(64))
    share = equity(
        [card_from_text(card.text) for card in request.hole_cards],
        [card_from_text(card.text) for card in request.community_cards],
        opponents,
        generator,
    )
    price = price_of(request)
    fair = 1 / (opponents + 1)
    reasoning = f"equity {share:.2f} of a fair {fair:.2f}, price {price:.2f}"
    if share > 1.4 * fair and share > price + 0.1:
        response = pot_sized(request, pots=0.75)
    else:
        response = call(request) if share > price else passive(request)
    return response.model_copy(update={"reasoning": reasoning})
