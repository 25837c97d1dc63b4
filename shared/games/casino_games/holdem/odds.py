"""Probabilities of known hands to win and to tie (needs numpy).

For the record of a completed hand: dead cards, those of folded hands, are in no runout. `equity` is
the share of the pot from the same counts.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from casino_games.cards import Card
from casino_games.holdem.deal import Hole
from casino_games.holdem.runouts import (
    Wins,
    every_runout,
    random_runouts,
    unseen_cards,
    wins_on,
)


class Odds(NamedTuple):
    """The probabilities of one hand, each 0..1."""

    win: float
    """To be the only best hand."""
    tie: float
    """To be one of several best hands."""


def exact_odds(
    holes: Sequence[Hole], board: Sequence[Card], dead: Sequence[Card] = ()
) -> list[Odds]:
    """Return the odds of each hand over every completion of a flop, turn or river board.

    Raises `ValueError` without a flop (use `sampled_odds`) and for impossible cards.
    """
    runouts = every_runout(unseen_cards(holes, board, dead), board)
    return _odds(wins_on(holes, board, runouts))


def sampled_odds(
    holes: Sequence[Hole],
    board: Sequence[Card],
    trials: int,
    generator: np.random.Generator,
    dead: Sequence[Card] = (),
) -> list[Odds]:
    """Return the odds of each hand over up to `trials` random completions of the board.

    The standard error is at most 0.5 / sqrt(trials).
    Raises `ValueError` for impossible cards, or without trials.
    """
    runouts = random_runouts(unseen_cards(holes, board, dead), board, trials, generator)
    return _odds(wins_on(holes, board, runouts))


def _odds(wins: Wins) -> list[Odds]:
    alone = wins.sum(axis=0) == 1
    count = wins.shape[1]
    return [
        Odds(int((hand & alone).sum()) / count, int((hand & ~alone).sum()) / count) for hand in wins
    ]
