"""Style `equity`: compares its equity, estimated by sampling, with the pot odds."""

import numpy as np
from casino_contracts import ActionRequest, ActionResponse
from casino_games.cards import card_from_text
from casino_games.holdem.batch_ranking import rank_columns
from numpy.typing import NDArray

from casino_player_example.styles.bets import call, passive, pot_sized
from casino_player_example.styles.dice import dice_for
from casino_player_example.styles.table_view import opponents_in, price_of

_TRIALS = 1500
_BOARD = 5


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


def equity(
    hole_cards: list[int],
    board: list[int],
    opponents: int,
    generator: np.random.Generator,
    trials: int = _TRIALS,
) -> float:
    """Return the share of the pot that a hand wins against random hands (Monte Carlo)."""
    seen = {*hole_cards, *board}
    unseen = np.array([card for card in range(52) if card not in seen], np.uint8)
    needed = _BOARD - len(board) + 2 * opponents
    # The indices of the smallest of random numbers are a sample without replacement.
    order = generator.random((len(unseen), trials)).argpartition(needed, axis=0)[:needed]
    dealt = unseen[order]
    missing = _BOARD - len(board)
    shared = np.vstack([np.repeat(np.array(board, np.uint8)[:, None], trials, 1), dealt[:missing]])

    def ranks(pair: NDArray[np.uint8]) -> NDArray[np.uint16]:
        hands: NDArray[np.uint8] = np.vstack([shared, pair])
        return rank_columns(hands)

    own = ranks(np.repeat(np.array(hole_cards, np.uint8)[:, None], trials, 1))
    others = np.stack(
        [ranks(dealt[missing + 2 * i : missing + 2 * i + 2]) for i in range(opponents)]
    )
    best = others.min(axis=0)
    ties = (others == own).sum(axis=0)
    won = np.where(own < best, 1.0, np.where(own == best, 1 / (1 + ties), 0.0))
    return float(won.mean())
