"""Odds of each player on each street of a completed Hold'em hand. Needs numpy. Pure."""

from typing import Literal

import numpy as np
from casino_contracts import Odds, StreetOdds
from casino_games.cards import card_from_text
from casino_games.holdem.odds import exact_odds, sampled_odds
from casino_games.shuffle import derive_seed
from casino_play.cards import wire_cards

from casino_table.play.hand import RunningHand

_BOARD_SIZES: dict[Literal["preflop", "flop", "turn", "river"], int] = {
    "preflop": 0,
    "flop": 3,
    "turn": 4,
    "river": 5,
}
_STREETS = list(_BOARD_SIZES)
TRIALS = 20_000
"""Samples before the flop: a standard error of at most 0.35 %, in about 5 ms."""


def odds_by_street(hand: RunningHand, seed: str) -> tuple[StreetOdds, ...]:
    """Return the odds of every player who has not folded, for every street that was dealt.

    The cards of folded hands cannot be dealt.
    Samples are derived from the hand's seed, so the result is reproducible.
    """
    state = hand.game.get_public_state()
    board = [card_from_text(name) for name in state["community_cards"]]
    holes = {
        player_id: tuple(card_from_text(name) for name in private["hole_cards"])
        for player_id, private in hand.secrets().items()
    }
    folded_on = {
        past["player_id"]: _STREETS.index(past["betting_round"])
        for past in state["history"]
        if past["action"] == "fold"
    }
    streets = []
    for street, (name, size) in enumerate(_BOARD_SIZES.items()):
        if size > len(board):
            break
        live = [player for player in holes if folded_on.get(player, street) >= street]
        hands = [(first, second) for first, second in map(holes.__getitem__, live)]
        dead = [card for player in holes if player not in live for card in holes[player]]
        if size:
            odds = exact_odds(hands, board[:size], dead)
        else:
            generator = np.random.default_rng(int(derive_seed(seed, "odds"), 16))
            odds = sampled_odds(hands, (), TRIALS, generator, dead)
        streets.append(
            StreetOdds(
                betting_round=name,
                community_cards=wire_cards(state["community_cards"][:size]),
                odds=tuple(
                    Odds(player_id=player_id, win=share.win, tie=share.tie)
                    for player_id, share in zip(live, odds, strict=True)
                ),
                is_exact=size > 0,
            )
        )
    return tuple(streets)
